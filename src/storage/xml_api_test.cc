#include "storage/xml_api.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/bytes.h"
#include "base/checksum.h"
#include "storage/storage_fixture.h"

namespace fireweed::storage {
namespace {

using testing::HasSubstr;
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
  EXPECT_EQ(Send("GET", "/pets/%zz").status, 400);
  Reply json = Send("GET", "/storage/v1/nowhere");
  EXPECT_EQ(json.status, 404);
  EXPECT_THAT(json.body, HasSubstr("\"error\""));
  access.refused = "storage.objects.list buckets/pets";
  EXPECT_THAT(Send("GET", "/pets").body, HasSubstr("<Code>AccessDenied</Code>"));
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

}  // namespace
}  // namespace fireweed::storage
