#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/bytes.h"
#include "base/checksum.h"
#include "storage/storage_fixture.h"
#include "storage/xml_request.h"

namespace fireweed::storage {
namespace {

using testing::HasSubstr;
using testing::IsSupersetOf;
using testing::Not;

class XmlApiTest : public testing::Test, protected StorageFixture {
 protected:
  XmlApiTest() { Send("POST", "/storage/v1/b?project=my-project", R"({"name":"pets"})"); }
};

TEST(XmlAddress, PathStyleAndHostStyle) {
  XmlAddress a = ParseXmlAddress("storage.googleapis.com", "/b/x%2Fy/z%20");
  EXPECT_EQ(a.bucket + "|" + a.object, "b|x/y/z ");
  a = ParseXmlAddress("my.pets.storage.googleapis.com", "/x/y");
  EXPECT_EQ(a.bucket + "|" + a.object, "my.pets|x/y");
  a = ParseXmlAddress("my.pets.commondatastorage.googleapis.com", "/x/y");
  EXPECT_EQ(a.bucket + "|" + a.object, "my.pets|x/y");
  a = ParseXmlAddress("127.0.0.1", "/b");
  EXPECT_EQ(a.bucket + "|" + a.object, "b|");
  EXPECT_THROW(ParseXmlAddress("127.0.0.1", "/b/%zz"), Failure);
}

TEST_F(XmlApiTest, ReadsAsTensorFlowDoes) {
  Upload("pets", "d/we ird+name#1?é%.txt", "0123456789");
  std::string path = "/pets/d%2Fwe%20ird%2Bname%231%3F%C3%A9%25.txt";
  Reply first = Send("GET", path, "", {{"Range", "bytes=0-67108863"}});
  EXPECT_EQ(first.status, 206);
  EXPECT_EQ(first.body, "0123456789");
  EXPECT_EQ(first.Header("ETag"), "\"" + HexEncode(Hash(Digest::kMd5, "0123456789")) + "\"");
  EXPECT_EQ(Send("GET", path, "", {{"Range", "bytes=4-67108863"}}).body, "456789");
  EXPECT_EQ(Send("GET", path, "", {{"Range", "bytes=10-20"}}).status, 416);
  EXPECT_EQ(Send("HEAD", path).Header("X-Goog-Stored-Content-Length"), "10");
  EXPECT_EQ(Send("GET", "/pets/d/we%20ird%2Bname%231%3F%C3%A9%25.txt").body, "0123456789");
  Ask host_style;
  host_style.method = "GET";
  host_style.target = path.substr(5);
  host_style.host = "pets.storage.googleapis.com";
  EXPECT_EQ(Send(host_style).body, "0123456789");
  host_style.host = "pets.commondatastorage.googleapis.com";  // the first name of the service
  EXPECT_EQ(Send(host_style).body, "0123456789");
  host_style.host = "commondatastorage.googleapis.com";
  host_style.target = path;
  EXPECT_EQ(Send(host_style).body, "0123456789");
}

// boto compares names of headers as they come.
TEST_F(XmlApiTest, HeadersAreWrittenAsBotoReadsThem) {
  Upload("pets", "o", "0123456789");
  for (const char* method : {"GET", "HEAD"}) {
    std::vector<std::string> lines;
    for (const net::ResponseHeader& header : Send(method, "/pets/o").headers) {
      lines.push_back(header.name + ": " + header.value);
    }
    EXPECT_THAT(
        lines,
        IsSupersetOf({"x-goog-hash: crc32c=KAwGng==", "x-goog-hash: md5=eB5eJF1ptWaXm4bijSPyxw==",
                      "x-goog-metageneration: 1", "x-goog-stored-content-length: 10",
                      "x-goog-stored-content-encoding: identity"}));
  }
}

// One line of a head that is none, and clients wait for a length that they have not seen.
TEST_F(XmlApiTest, MetadataThatIsNoHeaderIsLeftOut) {
  Upload("pets", "o", "0123456789");
  Send("PATCH", "/storage/v1/b/pets/o/o",
       R"({"metadata":{"plain-1":"a","Owner Name":"b","ключ":"c","":"d","a:b":"e","x":"ж"}})");
  std::string lines;
  for (const net::ResponseHeader& header : Send("GET", "/pets/o").headers) {
    if (header.name.starts_with("x-goog-meta-")) lines += header.name + "=" + header.value + " ";
  }
  EXPECT_EQ(lines, "x-goog-meta-plain-1=a x-goog-meta-x=ж ");
}

TEST_F(XmlApiTest, ErrorsAreXmlWithItsOwnCodes) {
  EXPECT_THAT(Send("GET", "/pets/none").body, HasSubstr("<Code>NoSuchKey</Code>"));
  EXPECT_THAT(Send("GET", "/none/x").body, HasSubstr("<Code>NoSuchBucket</Code>"));
  EXPECT_EQ(Send("GET", "/none/x").status, 404);
  Reply put = Send("PUT", "/pets/o", "x", {{"x-goog-if-generation-match", "5"}});
  EXPECT_EQ(put.status, 412);
  EXPECT_THAT(put.body, HasSubstr("<Code>PreconditionFailed</Code>"));
  EXPECT_EQ(Send("PUT", "/pets/o", "x", {{"x-goog-if-generation-match", "many"}}).status, 400);
  EXPECT_EQ(Send("PUT", "/pets", "x").status, 400);
  EXPECT_THAT(Send("PUT", "/pets?cors", "x").body, HasSubstr("<Code>MalformedXML</Code>"));
  EXPECT_EQ(Send("GET", "/pets/%zz").status, 400);
  Reply json = Send("GET", "/storage/v1/nowhere");
  EXPECT_EQ(json.status, 404);
  EXPECT_THAT(json.body, HasSubstr("\"error\""));
  access.refused = "storage.objects.list buckets/pets";
  EXPECT_THAT(Send("GET", "/pets").body, HasSubstr("<Code>AccessDenied</Code>"));
}

TEST_F(XmlApiTest, ReadersNameTheTypeTheyWant) {
  Upload("pets", "o", "0123456789");
  Send("PATCH", "/storage/v1/b/pets/o/o", R"({"contentDisposition":"inline"})");
  Reply got = Send("GET", "/pets/o?response-content-type=x%2Fy");
  EXPECT_EQ(got.Header("Content-Type"), "x/y");
  EXPECT_EQ(got.Header("Content-Disposition"), "inline");
  got = Send("HEAD", "/pets/o?response-content-disposition=attachment");
  EXPECT_EQ(got.Header("Content-Type"), "text/plain");
  EXPECT_EQ(got.Header("Content-Disposition"), "attachment");
}

TEST_F(XmlApiTest, PutsCopiesAndDeletes) {
  std::string md5 = Base64Encode(Hash(Digest::kMd5, "meow"));
  Reply put =
      Send("PUT", "/pets/cat", "meow",
           {{"Content-Type", "text/css"}, {"x-goog-meta-Color", "red"}, {"Content-MD5", md5}});
  EXPECT_EQ(put.status, 200) << put.body;
  Reply got = Send("GET", "/pets/cat");
  EXPECT_EQ(got.body, "meow");
  EXPECT_EQ(got.Header("Content-Type"), "text/css");
  EXPECT_EQ(got.Header("x-goog-meta-color"), "red");
  EXPECT_EQ(Send("PUT", "/pets/cat", "purr", {{"Content-MD5", md5}}).status, 400);
  Reply copy = Send("PUT", "/pets/d/cat2", "", {{"x-goog-copy-source", "pets/cat"}});
  EXPECT_THAT(copy.body, HasSubstr("<CopyObjectResult>"));
  EXPECT_EQ(Send("GET", "/pets/d/cat2").Header("x-goog-meta-color"), "red");
  EXPECT_EQ(Send("DELETE", "/pets/cat").status, 204);
  EXPECT_EQ(Send("DELETE", "/pets/cat").status, 404);
  EXPECT_EQ(Read("pets", "d/cat2"), "meow");
}

TEST_F(XmlApiTest, ListsInBothVersions) {
  for (const char* name : {"a&b", "d/x", "d/y", "e", "f"}) Upload("pets", name, "1");
  Reply all = Send("GET", "/pets?delimiter=/&max-keys=2");
  EXPECT_THAT(all.body, HasSubstr("<Key>a&amp;b</Key>"));
  EXPECT_THAT(all.body, HasSubstr("<CommonPrefixes><Prefix>d/</Prefix></CommonPrefixes>"));
  EXPECT_THAT(all.body, HasSubstr("<NextMarker>d/</NextMarker>"));
  EXPECT_THAT(all.body, HasSubstr("<IsTruncated>true</IsTruncated>"));
  Reply rest = Send("GET", "/pets?delimiter=/&max-keys=2&marker=d/");
  EXPECT_THAT(rest.body, HasSubstr("<Key>e</Key>"));
  EXPECT_THAT(rest.body, HasSubstr("<Key>f</Key>"));
  EXPECT_THAT(rest.body, Not(HasSubstr("CommonPrefixes")));
  EXPECT_THAT(rest.body, HasSubstr("<IsTruncated>false</IsTruncated>"));
  Reply second = Send("GET", "/pets?list-type=2&max-keys=1&prefix=d/");
  EXPECT_THAT(second.body, HasSubstr("<KeyCount>1</KeyCount>"));
  std::string open = "<NextContinuationToken>";
  size_t at = second.body.find(open) + open.size();
  std::string token = second.body.substr(at, second.body.find('<', at) - at);
  EXPECT_THAT(Send("GET", "/pets?list-type=2&prefix=d/&continuation-token=" + token).body,
              HasSubstr("<Key>d/y</Key>"));
  EXPECT_THAT(Send("GET", "/pets?marker=e&encoding-type=url").body, Not(HasSubstr("<Key>e</Key>")));
}

TEST_F(XmlApiTest, VersionsAreListedAcrossPages) {
  Send("PUT", "/pets?versioning",
       "<VersioningConfiguration><Status>Enabled</Status></VersioningConfiguration>");
  std::vector<std::string> generations;
  for (const char* name : {"a", "a", "b"}) {
    generations.push_back(Upload("pets", name, "1").Field("generation"));
  }
  std::string marker;
  for (size_t i = 0; i < generations.size(); ++i) {
    Reply page = Send("GET", "/pets?versions&max-keys=1" + marker);
    EXPECT_THAT(page.body, HasSubstr("<Generation>" + generations[i] + "</Generation>"));
    EXPECT_THAT(page.body, HasSubstr(i == 0 ? "<IsLatest>false" : "<IsLatest>true"));
    bool last = i + 1 == generations.size();
    EXPECT_THAT(page.body, HasSubstr(last ? "<IsTruncated>false" : "<IsTruncated>true"));
    marker = std::string("&marker=") + "a&generation-marker=" + generations[i];
    if (last) continue;
    EXPECT_THAT(page.body, HasSubstr("<NextMarker>a</NextMarker>"));
    EXPECT_THAT(page.body,
                HasSubstr("<NextGenerationMarker>" + generations[i] + "</NextGenerationMarker>"));
  }
  EXPECT_EQ(Send("GET", "/pets/a?generation=" + generations[0]).status, 200);
  EXPECT_EQ(Send("DELETE", "/pets/a?generation=" + generations[0]).status, 204);
  EXPECT_EQ(Send("GET", "/pets/a?generation=" + generations[0]).status, 404);
}

TEST_F(XmlApiTest, BucketsAreMadeListedAndDeleted) {
  std::vector<std::pair<std::string, std::string>> project = {{"x-goog-project-id", "my-project"}};
  EXPECT_EQ(Send("PUT", "/cold",
                 "<CreateBucketConfiguration><LocationConstraint>us-central1</LocationConstraint>"
                 "<StorageClass>NEARLINE</StorageClass></CreateBucketConfiguration>",
                 project)
                .status,
            200);
  EXPECT_EQ(Send("PUT", "/plain", "", project).status, 200);
  Reply again = Send("PUT", "/plain", "", project);
  EXPECT_EQ(again.status, 409);
  EXPECT_THAT(again.body, HasSubstr("<Code>BucketAlreadyOwnedByYou</Code>"));
  EXPECT_THAT(Send("PUT", "/homeless").body, HasSubstr("x-goog-project-id"));
  Reply all = Send("GET", "/", "", project);
  EXPECT_EQ(all.status, 200) << all.body;
  for (const char* name : {"cold", "pets", "plain"}) {
    EXPECT_THAT(all.body, HasSubstr(std::string("<Name>") + name + "</Name>"));
  }
  Ask host_style;
  host_style.method = "GET";
  host_style.target = "/?location";
  host_style.host = "cold.storage.googleapis.com";
  EXPECT_THAT(Send(host_style).body, HasSubstr("US-CENTRAL1"));
  EXPECT_EQ(Send("HEAD", "/cold").Header("X-Goog-Storage-Class"), "NEARLINE");
  EXPECT_EQ(Send("HEAD", "/none").status, 404);
  std::vector<std::pair<std::string, std::string>> kept = project;
  kept.push_back({"x-goog-bucket-retention-period", "86400"});
  EXPECT_EQ(Send("PUT", "/kept", "", kept).status, 200);
  EXPECT_THAT(Send("GET", "/storage/v1/b/kept").body, HasSubstr(R"("retentionPeriod":"86400")"));
  kept.back().second = "a day";
  EXPECT_EQ(Send("PUT", "/kept2", "", kept).status, 400);
  EXPECT_THAT(Send("GET", "/cold?location").body,
              HasSubstr("<LocationConstraint>US-CENTRAL1</LocationConstraint>"));
  Upload("cold", "o", "1");
  EXPECT_THAT(Send("DELETE", "/cold").body, HasSubstr("<Code>BucketNotEmpty</Code>"));
  EXPECT_EQ(Send("DELETE", "/cold/o").status, 204);
  EXPECT_EQ(Send("DELETE", "/cold").status, 204);
  EXPECT_THAT(Send("GET", "/cold").body, HasSubstr("<Code>NoSuchBucket</Code>"));
}

TEST_F(XmlApiTest, SettingsComeBackAsTheyWereSet) {
  struct Setting {
    const char *parameter, *document, *json;
  };
  const Setting settings[] = {
      {"cors",
       "<CorsConfig><Cors><Origins><Origin>http://a.x</Origin></Origins><Methods><Method>GET"
       "</Method></Methods><ResponseHeaders><ResponseHeader>X-A</ResponseHeader></ResponseHeaders>"
       "<MaxAgeSec>60</MaxAgeSec></Cors></CorsConfig>",
       R"("origin":["http://a.x"])"},
      {"lifecycle",
       "<LifecycleConfiguration><Rule><Action><Delete></Delete></Action><Condition><Age>30</Age>"
       "<IsLive>false</IsLive></Condition></Rule></LifecycleConfiguration>",
       R"("age":30)"},
      {"versioning", "<VersioningConfiguration><Status>Enabled</Status></VersioningConfiguration>",
       R"("versioning":{"enabled":true})"},
      {"logging",
       "<Logging><LogBucket>logs</LogBucket><LogObjectPrefix>p</LogObjectPrefix></Logging>",
       R"("logBucket":"logs")"},
      {"websiteConfig",
       "<WebsiteConfiguration><MainPageSuffix>i.html</MainPageSuffix><NotFoundPage>404</"
       "NotFoundPage>"
       "</WebsiteConfiguration>",
       R"("mainPageSuffix":"i.html")"},
      {"tagging", "<Tagging><TagSet><Tag><Key>a</Key><Value>1</Value></Tag></TagSet></Tagging>",
       R"("labels":{"a":"1"})"},
      {"storageClass", "<StorageClass>NEARLINE</StorageClass>", R"("storageClass":"NEARLINE")"},
  };
  for (const Setting& setting : settings) {
    SCOPED_TRACE(setting.parameter);
    std::string where = std::string("/pets?") + setting.parameter;
    Reply put = Send("PUT", where, setting.document);
    EXPECT_EQ(put.status, 200) << put.body;
    EXPECT_THAT(Send("GET", where).body, HasSubstr(setting.document));
    EXPECT_THAT(Send("GET", "/storage/v1/b/pets").body, HasSubstr(setting.json));
    EXPECT_EQ(Send("PUT", where, "<Other/>").status, 400);
  }
  Send("PUT", "/pets?tagging",
       "<Tagging><TagSet><Tag><Key>b</Key><Value>2</Value></Tag></TagSet>"
       "</Tagging>");
  EXPECT_THAT(Send("GET", "/storage/v1/b/pets").body, HasSubstr(R"("labels":{"b":"2"})"));
  EXPECT_EQ(Send("GET", "/pets?policy").status, 400);
  access.refused = "storage.buckets.update buckets/pets";
  EXPECT_EQ(Send("PUT", "/pets?storageClass", "<StorageClass>STANDARD</StorageClass>").status, 403);
}

TEST_F(XmlApiTest, PagesOfOtherOriginsGetWhatTheBucketAllows) {
  Upload("pets", "o", "0123456789");
  ASSERT_EQ(Send("PATCH", "/storage/v1/b/pets",
                 R"({"cors":[{"origin":["https://a.example"],"method":["GET","PUT"],)"
                 R"("responseHeader":["Content-Type","x-goog-resumable"],"maxAgeSeconds":60},)"
                 R"({"origin":["*"],"method":["GET"]}]})")
                .status,
            200);
  struct Row {
    const char *method, *target, *origin, *asks, *headers, *allowed;
  };
  for (const Row& row : {Row{"GET", "/pets/o", "https://a.example", "", "", "https://a.example"},
                         Row{"GET", "/pets/o", "https://b.example", "", "", "*"},
                         Row{"GET", "/pets/none", "https://b.example", "", "", "*"},
                         Row{"PUT", "/pets/p", "https://a.example", "", "", "https://a.example"},
                         Row{"PUT", "/none/p", "https://a.example", "", "", ""},
                         Row{"PUT", "/pets/p", "https://b.example", "", "", ""},
                         Row{"DELETE", "/pets/p", "https://a.example", "", "", ""},
                         Row{"OPTIONS", "/pets/o", "https://a.example", "PUT",
                             "content-type, X-Goog-Resumable", "https://a.example"},
                         Row{"OPTIONS", "/pets/o", "https://a.example", "PUT", "x-else", ""},
                         Row{"OPTIONS", "/pets/o", "https://b.example", "PUT", "", ""},
                         Row{"OPTIONS", "/pets/o", "https://b.example", "GET", "", "*"},
                         Row{"OPTIONS", "/pets/o", "https://b.example", "", "", ""},
                         Row{"OPTIONS", "/none/o", "https://a.example", "GET", "", ""}}) {
    std::vector<std::pair<std::string, std::string>> headers{{"Origin", row.origin}};
    if (*row.asks) headers.push_back({"Access-Control-Request-Method", row.asks});
    if (*row.headers) headers.push_back({"Access-Control-Request-Headers", row.headers});
    Reply reply = Send(row.method, row.target, "", headers);
    EXPECT_EQ(reply.Header("Access-Control-Allow-Origin"), row.allowed)
        << row.method << " " << row.target << " " << row.origin << " " << row.headers;
    bool preflight = row.method == std::string_view("OPTIONS");
    EXPECT_TRUE(!preflight || reply.status == 200) << reply.status;
  }
  EXPECT_EQ(Send("GET", "/pets/none", "", {{"Origin", "https://b.example"}}).status, 404);
  EXPECT_EQ(Send("GET", "/pets/o").Header("Access-Control-Allow-Origin"), "");
  Reply preflight =
      Send("OPTIONS", "/pets/o", "",
           {{"Origin", "https://a.example"}, {"Access-Control-Request-Method", "GET"}});
  EXPECT_EQ(preflight.Header("Access-Control-Allow-Methods"), "GET, PUT");
  EXPECT_EQ(preflight.Header("Access-Control-Allow-Headers"), "Content-Type, x-goog-resumable");
  EXPECT_EQ(preflight.Header("Access-Control-Max-Age"), "60");
  EXPECT_EQ(Send("GET", "/pets/o", "", {{"Origin", "https://a.example"}})
                .Header("Access-Control-Expose-Headers"),
            "Content-Type, x-goog-resumable");
}

TEST_F(XmlApiTest, ListsOfBucketsAndObjects) {
  Upload("pets", "o", "1");
  std::string list =
      "<AccessControlList><Entries><Entry><Scope type='UserByEmail'><EmailAddress>ann@x.org"
      "</EmailAddress></Scope><Permission>FULL_CONTROL</Permission></Entry><Entry>"
      "<Scope type='AllUsers'></Scope><Permission>READ</Permission></Entry></Entries>"
      "</AccessControlList>";
  for (const char* where : {"/pets?acl", "/pets?defaultObjectAcl", "/pets/o?acl"}) {
    SCOPED_TRACE(where);
    Reply put = Send("PUT", where, list);
    EXPECT_EQ(put.status, 200) << put.body;
    Reply got = Send("GET", where);
    EXPECT_THAT(got.body, HasSubstr("<EmailAddress>ann@x.org</EmailAddress>"));
    EXPECT_THAT(got.body, HasSubstr("<Scope type='AllUsers'></Scope><Permission>READ"));
    EXPECT_EQ(Send("PUT", where, "", {{"x-goog-acl", "private"}}).status, 200);
    EXPECT_THAT(Send("GET", where).body, Not(HasSubstr("AllUsers")));
    EXPECT_EQ(Send("PUT", where,
                   "<AccessControlList><Entries><Entry/></Entries>"
                   "</AccessControlList>")
                  .status,
              400);
  }
  Send("PUT", "/pets/p", "x", {{"x-goog-acl", "public-read"}});
  EXPECT_THAT(Send("GET", "/pets/p?acl").body, HasSubstr("AllUsers"));
}

TEST_F(XmlApiTest, ComposesAndCopiesWithConditions) {
  Upload("pets", "a", "one-");
  std::string g = Upload("pets", "b", "two").Field("generation");
  std::string body =
      "<ComposeRequest><Component><Name>a</Name></Component><Component><Name>b</Name>"
      "<Generation>" +
      g + "</Generation></Component></ComposeRequest>";
  Reply made = Send("PUT", "/pets/c?compose", body, {{"Content-Type", "text/x"}});
  EXPECT_EQ(made.status, 200) << made.body;
  EXPECT_EQ(Read("pets", "c"), "one-two");
  EXPECT_EQ(Send("GET", "/pets/c").Header("Content-Type"), "text/x");
  EXPECT_EQ(Send("PUT", "/pets/c?compose", body, {{"x-goog-if-generation-match", "0"}}).status,
            412);
  auto copy = [&](std::vector<std::pair<std::string, std::string>> headers) {
    headers.emplace_back("x-goog-copy-source", "/pets/b");
    return Send("PUT", "/pets/d", "", std::move(headers)).status;
  };
  EXPECT_EQ(copy({{"x-goog-copy-source-if-generation-match", "1"}}), 412);
  EXPECT_EQ(copy({{"x-goog-copy-source-if-metageneration-match", "2"}}), 412);
  EXPECT_EQ(copy({{"x-goog-copy-source-if-generation-match", g}}), 200);
  EXPECT_EQ(copy({{"x-goog-if-generation-match", "0"}}), 412);
  EXPECT_EQ(copy({{"x-goog-metadata-directive", "REPLACE"}, {"Content-Type", "a/b"}}), 200);
  EXPECT_EQ(Send("GET", "/pets/d").Header("Content-Type"), "a/b");
}

}  // namespace
}  // namespace fireweed::storage
