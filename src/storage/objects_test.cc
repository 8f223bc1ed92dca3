#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/bytes.h"
#include "base/checksum.h"
#include "storage/storage_fixture.h"

namespace fireweed::storage {
namespace {

using testing::HasSubstr;
using testing::Not;

class ObjectsTest : public testing::Test, protected StorageFixture {
 protected:
  ObjectsTest() { Send("POST", "/storage/v1/b?project=my-project", R"({"name":"pets"})"); }
  Reply Stat(const std::string& name) {
    return Send("GET", "/storage/v1/b/pets/o/" + PercentEncode(name));
  }
};

TEST_F(ObjectsTest, StatSaysWhatClientsNeed) {
  Reply up = Upload("pets", "a/b c?é%.txt", "hello");
  ASSERT_EQ(up.status, 200) << up.body;
  Reply stat = Stat("a/b c?é%.txt");
  EXPECT_EQ(stat.body, up.body);
  EXPECT_EQ(stat.Field("size"), "5");
  EXPECT_EQ(stat.Field("md5Hash"), "XUFAKrxLKna5cZ2REBfFkg==");
  EXPECT_EQ(stat.Field("crc32c"), Crc32cToBase64(Crc32c(AsBytes("hello"))));
  EXPECT_EQ(stat.Field("contentType"), "text/plain");
  EXPECT_EQ(stat.Field("mediaLink"),
            "https://storage.googleapis.com/download/storage/v1/b/pets/o/"
            "a%2Fb%20c%3F%C3%A9%25.txt?generation=" +
                stat.Field("generation") + "&alt=media");
  for (const char* field :
       {"etag", "updated", "timeCreated", "metageneration", "id", "storageClass"}) {
    EXPECT_NE(stat.Field(field), "") << field;
  }
  Reply missing = Stat("none");
  EXPECT_EQ(missing.status, 404);
  EXPECT_EQ(missing.Field("message"), "No such object: pets/none");
  EXPECT_EQ(Send("GET", "/storage/v1/b/none/o/x").Field("message"),
            "The specified bucket does not exist.");
}

TEST_F(ObjectsTest, MediaAndRanges) {
  Upload("pets", "o", "0123456789");
  Reply whole = Send("GET", "/download/storage/v1/b/pets/o/o?alt=media");
  EXPECT_EQ(whole.status, 200);
  EXPECT_EQ(whole.body, "0123456789");
  EXPECT_EQ(whole.Header("X-Goog-Stored-Content-Length"), "10");
  EXPECT_EQ(whole.Header("Content-Type"), "text/plain");
  EXPECT_EQ(whole.Header("X-Goog-Hash"),
            "crc32c=" + Stat("o").Field("crc32c") + ",md5=" + Stat("o").Field("md5Hash"));
  EXPECT_EQ(whole.Header("X-Goog-Generation"), Stat("o").Field("generation"));
  auto range = [&](const char* header) {
    return Send("GET", "/storage/v1/b/pets/o/o?alt=media", "", {{"Range", header}});
  };
  Reply part = range("bytes=3-67108863");
  EXPECT_EQ(part.status, 206);
  EXPECT_EQ(part.body, "3456789");
  EXPECT_EQ(part.Header("Content-Range"), "bytes 3-9/10");
  EXPECT_EQ(range("bytes=-2").body, "89");
  EXPECT_EQ(range("bytes=10-20").status, 416);
  Upload("pets", "empty", "");
  EXPECT_EQ(Read("pets", "empty"), "");
  EXPECT_EQ(
      Send("GET", "/storage/v1/b/pets/o/empty?alt=media", "", {{"Range", "bytes=0-9"}}).status,
      416);
}

TEST_F(ObjectsTest, PreconditionsOnEveryPath) {
  EXPECT_EQ(Upload("pets", "o", "1", "&ifGenerationMatch=0").status, 200);
  EXPECT_EQ(Upload("pets", "o", "2", "&ifGenerationMatch=0").status, 412);
  EXPECT_EQ(BlobCount(), 1) << "a refused upload leaves nothing";
  std::string g = Stat("o").Field("generation");
  EXPECT_EQ(Upload("pets", "o", "2", "&ifGenerationMatch=" + g).status, 200);
  EXPECT_EQ(BlobCount(), 1) << "the replaced bytes are gone";
  std::string now = Stat("o").Field("generation");
  EXPECT_GT(now, g);
  std::string path = "/storage/v1/b/pets/o/o";
  EXPECT_EQ(Send("GET", path + "?ifGenerationMatch=" + g).status, 412);
  EXPECT_EQ(Send("GET", path + "?ifGenerationNotMatch=" + now).status, 304);
  EXPECT_EQ(Send("GET", path + "?alt=media&ifMetagenerationMatch=9").status, 412);
  EXPECT_EQ(Send("GET", path + "?generation=" + g).status, 404);
  EXPECT_EQ(Send("PATCH", path + "?ifMetagenerationMatch=2", "{}").status, 412);
  EXPECT_EQ(Send("PATCH", path + "?ifMetagenerationMatch=1", R"({"metadata":{"a":"b"}})").status,
            200);
  EXPECT_EQ(Send("PUT", path + "?ifGenerationMatch=" + g, "{}").status, 412);
  EXPECT_EQ(Send("POST", path + "/rewriteTo/b/pets/o/p?ifSourceGenerationMatch=" + g).status, 412);
  EXPECT_EQ(Send("POST", path + "/rewriteTo/b/pets/o/o?ifGenerationMatch=0").status, 412);
  EXPECT_EQ(Send("POST", path + "/copyTo/b/pets/o/p?ifSourceMetagenerationMatch=1").status, 412);
  EXPECT_EQ(Send("POST", path + "/moveTo/o/p?ifSourceGenerationNotMatch=" + now).status, 412);
  EXPECT_EQ(
      Send("POST", path + "/compose?ifGenerationMatch=0", R"({"sourceObjects":[{"name":"o"}]})")
          .status,
      412);
  EXPECT_EQ(Send("POST", "/storage/v1/b/pets/o/q/compose",
                 R"({"sourceObjects":[{"name":"o","objectPreconditions":{"ifGenerationMatch":)" +
                     g + "}}]}")
                .status,
            412);
  EXPECT_EQ(Send("DELETE", path + "?ifGenerationMatch=" + g).status, 412);
  EXPECT_EQ(Send("DELETE", path + "?ifGenerationMatch=" + now).status, 204);
  EXPECT_EQ(Send("DELETE", path).status, 404);
  EXPECT_EQ(BlobCount(), 0);
}

TEST_F(ObjectsTest, PatchAndUpdateMetadata) {
  Upload("pets", "o", "1");
  std::string path = "/storage/v1/b/pets/o/o";
  Reply patched = Send(
      "PATCH", path, R"({"metadata":{"a":"1","b":"2"},"cacheControl":"no-store","name":"other"})");
  EXPECT_THAT(patched.body, HasSubstr(R"("metadata":{"a":"1","b":"2"})"));
  EXPECT_EQ(patched.Field("metageneration"), "2");
  EXPECT_EQ(patched.Field("name"), "o");
  patched = Send(
      "PATCH", path,
      R"({"metadata":{"a":null},"contentType":"image/png","customTime":"2026-01-02T03:04:05Z"})");
  EXPECT_THAT(patched.body, HasSubstr(R"("metadata":{"b":"2"})"));
  EXPECT_THAT(patched.body, HasSubstr(R"("customTime":"2026-01-02T03:04:05)"));
  Reply updated = Send("PUT", path, R"({"contentType":"text/css"})");
  EXPECT_THAT(updated.body, Not(HasSubstr("\"metadata\"")));
  EXPECT_EQ(updated.Field("contentType"), "text/css");
  EXPECT_EQ(Read("pets", "o"), "1");
  Reply acl = Send("PATCH", path + "?predefinedAcl=publicRead&projection=full", R"({"acl":[]})");
  EXPECT_THAT(acl.body, HasSubstr("allUsers"));
  EXPECT_THAT(Stat("o").body, Not(HasSubstr("allUsers")));
  EXPECT_EQ(Send("PATCH", path, R"({"acl":[{"entity":"user-x"}]})").status, 400);
}

TEST_F(ObjectsTest, StorageClassesAreThoseThereAre) {
  Upload("pets", "o", "1");
  std::string path = "/storage/v1/b/pets/o/o", to = path + "/rewriteTo/b/pets/o/p";
  Reply refused = Send("POST", to, R"({"storageClass":"FOO"})");
  EXPECT_EQ(refused.status, 400);
  EXPECT_THAT(refused.body, HasSubstr("Invalid storage class: 'FOO'."));
  EXPECT_EQ(Send("POST", to, R"({"storageClass":"nearline"})").status, 200);
  EXPECT_EQ(Stat("p").Field("storageClass"), "NEARLINE");
  auto compose = [&](const std::string& name) {
    return Send(
        "POST", path + "/compose",
        R"({"sourceObjects":[{"name":"p"}],"destination":{"storageClass":")" + name + "\"}}");
  };
  EXPECT_EQ(compose("FOO").status, 400);
  EXPECT_EQ(compose("archive").Field("storageClass"), "ARCHIVE");
  auto multipart = [&](const std::string& name) {
    return Send(
        "POST", "/upload/storage/v1/b/pets/o?uploadType=multipart",
        "--B\r\n\r\n{\"name\":\"m\",\"storageClass\":\"" + name + "\"}\r\n--B\r\n\r\nx\r\n--B--",
        {{"Content-Type", "multipart/related; boundary=B"}});
  };
  EXPECT_EQ(multipart("FOO").status, 400);
  EXPECT_EQ(multipart("coldline").Field("storageClass"), "COLDLINE");
  EXPECT_EQ(Send("PUT", "/pets/x", "x", {{"x-goog-storage-class", "FOO"}}).status, 400);
  EXPECT_EQ(Send("PUT", "/pets/x", "x", {{"x-goog-storage-class", "archive"}}).status, 200);
  EXPECT_EQ(Stat("x").Field("storageClass"), "ARCHIVE");
}

TEST_F(ObjectsTest, APatchedClassHasItsTime) {
  Upload("pets", "o", "1");
  std::string path = "/storage/v1/b/pets/o/o", since = "timeStorageClassUpdated";
  std::string made = Stat("o").Field(since);
  clock.Advance(std::chrono::hours(1));
  EXPECT_EQ(Send("PATCH", path, R"({"storageClass":"FOO"})").status, 400);
  EXPECT_EQ(Send("PATCH", path, R"({"contentType":"a/b"})").Field(since), made);
  EXPECT_EQ(Send("PUT", path, "{}").Field(since), made);
  Reply patched = Send("PATCH", path, R"({"storageClass":"nearline"})");
  EXPECT_EQ(patched.Field("storageClass"), "NEARLINE");
  EXPECT_NE(patched.Field(since), made);
}

TEST_F(ObjectsTest, ACustomTimeOnlyMovesOn) {
  Upload("pets", "o", "1");
  std::string path = "/storage/v1/b/pets/o/o";
  EXPECT_EQ(Send("PATCH", path, R"({"customTime":"2024-01-01T00:00:00Z"})").status, 200);
  EXPECT_EQ(Send("PATCH", path, R"({"customTime":"2020-01-01T00:00:00Z"})").status, 400);
  EXPECT_EQ(Send("PUT", path, R"({"customTime":"2020-01-01T00:00:00Z"})").status, 400);
  EXPECT_EQ(Send("PATCH", path, R"({"customTime":null})").status, 400);
  EXPECT_EQ(Send("PATCH", path, R"({"customTime":"2024-01-01T00:00:00Z"})").status, 200);
  EXPECT_THAT(Send("PUT", path, "{}").Field("customTime"), HasSubstr("2024-01-01"))
      << "an update that does not name it leaves it";
  EXPECT_EQ(Send("PATCH", path, R"({"customTime":"2025-01-01T00:00:00Z"})").status, 200);
  EXPECT_THAT(Stat("o").Field("customTime"), HasSubstr("2025-01-01"));
}

TEST_F(ObjectsTest, CopyRewriteAndMoveShareBytes) {
  Upload("pets", "o", "bytes");
  Send("PATCH", "/storage/v1/b/pets/o/o", R"({"metadata":{"k":"v"}})");
  Reply rewritten = Send("POST", "/storage/v1/b/pets/o/o/rewriteTo/b/pets/o/d%2Fp");
  EXPECT_THAT(rewritten.body, HasSubstr(R"("done":true)"));
  EXPECT_THAT(rewritten.body, HasSubstr(R"("objectSize":"5")"));
  EXPECT_THAT(rewritten.body, HasSubstr(R"("metadata":{"k":"v"})"));
  Reply copied = Send("POST", "/storage/v1/b/pets/o/o/copyTo/b/pets/o/q",
                      R"({"contentType":"image/gif","md5Hash":"x"})");
  EXPECT_EQ(copied.status, 200) << copied.body;
  EXPECT_EQ(copied.Field("contentType"), "image/gif");
  EXPECT_THAT(copied.body, Not(HasSubstr("\"metadata\"")));
  EXPECT_EQ(BlobCount(), 1);
  EXPECT_EQ(Send("DELETE", "/storage/v1/b/pets/o/o").status, 204);
  EXPECT_EQ(Read("pets", "d/p"), "bytes");
  EXPECT_EQ(Read("pets", "q"), "bytes");
  EXPECT_EQ(Send("POST", "/storage/v1/b/pets/o/q/moveTo/o/r").status, 200);
  EXPECT_EQ(Stat("q").status, 404);
  EXPECT_EQ(Read("pets", "r"), "bytes");
  EXPECT_EQ(
      Send("POST", "/storage/v1/b/pets/o/r/rewriteTo/b/pets/o/r", R"({"storageClass":"NEARLINE"})")
          .status,
      200);
  EXPECT_EQ(Stat("r").Field("storageClass"), "NEARLINE");
  EXPECT_EQ(Read("pets", "r"), "bytes");
  Send("DELETE", "/storage/v1/b/pets/o/r");
  EXPECT_EQ(BlobCount(), 1);
  Send("DELETE", "/storage/v1/b/pets/o/d%2Fp");
  EXPECT_EQ(BlobCount(), 0);
  EXPECT_EQ(Send("POST", "/storage/v1/b/pets/o/none/rewriteTo/b/pets/o/x").status, 404);
}

TEST_F(ObjectsTest, RewriteInSeveralCallsWhereTheClientLimitsThem) {
  Send("POST", "/storage/v1/b?project=my-project", R"({"name":"cold","storageClass":"NEARLINE"})");
  Upload("pets", "o", std::string((2 << 20) + 5, 'x'));
  std::string to = "/storage/v1/b/pets/o/o/rewriteTo/b/cold/o/o?maxBytesRewrittenPerCall=1048576";
  Reply first = Send("POST", to);
  EXPECT_THAT(first.body, HasSubstr(R"("done":false)"));
  EXPECT_EQ(first.Field("totalBytesRewritten"), "1048576");
  EXPECT_EQ(first.Field("objectSize"), "2097157");
  EXPECT_THAT(first.body, Not(HasSubstr("resource")));
  Reply second = Send("POST", to + "&rewriteToken=" + first.Field("rewriteToken"));
  EXPECT_EQ(second.Field("totalBytesRewritten"), "2097152");
  EXPECT_EQ(second.Field("rewriteToken"), first.Field("rewriteToken"))
      << "gsutil keeps the first one for all calls";
  EXPECT_EQ(Read("cold", "o"), "status 404") << "not before it is done";
  std::string last = to + "&rewriteToken=" + second.Field("rewriteToken");
  EXPECT_EQ(Send("POST", to + "&rewriteToken=AwE").status, 400);
  EXPECT_EQ(Send("POST", to + "6&rewriteToken=" + second.Field("rewriteToken")).status, 400)
      << "no multiple of 1 MiB";
  Reply done = Send("POST", last);
  EXPECT_THAT(done.body, HasSubstr(R"("done":true)"));
  EXPECT_THAT(done.body, HasSubstr(R"("storageClass":"NEARLINE")"));
  EXPECT_EQ(Read("cold", "o").size(), 2097157u);
  Upload("pets", "o", std::string(3 << 20, 'y'));
  EXPECT_EQ(Send("POST", last).status, 400) << "the source is another one by now";
  EXPECT_THAT(
      Send("POST", "/storage/v1/b/pets/o/o/rewriteTo/b/pets/o/p?maxBytesRewrittenPerCall=1048576")
          .body,
      HasSubstr(R"("done":true)"))
      << "bytes that stay where they are";
}

TEST_F(ObjectsTest, CopiesTakeTheListOfTheirDestination) {
  Upload("pets", "o", "1", "&predefinedAcl=publicRead");
  auto list = [&](const char* name) {
    return Send("GET", std::string("/storage/v1/b/pets/o/") + name + "?projection=full").body;
  };
  EXPECT_THAT(list("o"), HasSubstr("allUsers"));
  Send("POST", "/storage/v1/b/pets/o/o/copyTo/b/pets/o/p");
  EXPECT_THAT(list("p"), Not(HasSubstr("allUsers")));
  Send("POST", "/storage/v1/b/pets/o/p/copyTo/b/pets/o/q?destinationPredefinedAcl=publicRead");
  EXPECT_THAT(list("q"), HasSubstr("allUsers"));
  Send("POST", "/storage/v1/b/pets/o/r/compose?destinationPredefinedAcl=publicRead",
       R"({"sourceObjects":[{"name":"p"}]})");
  EXPECT_THAT(list("r"), HasSubstr("allUsers"));
  Send("POST", "/storage/v1/b/pets/o/p/rewriteTo/b/pets/o/s",
       R"({"acl":[{"entity":"allUsers","role":"READER"}]})");
  EXPECT_THAT(list("s"), HasSubstr("allUsers"));
}

TEST_F(ObjectsTest, SoftDeleteIsRefusedClearly) {
  Upload("pets", "o", "1");
  EXPECT_EQ(Send("GET", "/storage/v1/b/pets/o?softDeleted=true").status, 400);
  EXPECT_EQ(Send("POST", "/storage/v1/b/pets/o/o/restore?generation=1").status, 400);
  EXPECT_EQ(Send("GET", "/storage/v1/b/pets/o?includeFoldersAsPrefixes=True").status, 200);
}

TEST_F(ObjectsTest, ComposeJoinsWithoutReading) {
  Upload("pets", "a", "one-");
  Upload("pets", "b", "");
  Upload("pets", "c", "two");
  Reply reply =
      Send("POST", "/storage/v1/b/pets/o/all/compose",
           R"({"sourceObjects":[{"name":"a","generation":null},{"name":"b"},{"name":"c"}],)"
           R"("destination":{"contentType":"text/x","md5Hash":"AAAAAAAAAAAAAAAAAAAAAA=="}})");
  ASSERT_EQ(reply.status, 200) << reply.body;
  EXPECT_EQ(reply.Field("crc32c"), Crc32cToBase64(Crc32c(AsBytes("one-two"))));
  EXPECT_EQ(reply.Field("md5Hash"), "");
  EXPECT_THAT(reply.body, HasSubstr(R"("componentCount":3)"));
  EXPECT_EQ(Read("pets", "all"), "one-two");
  for (const char* name : {"a", "b", "c"})
    Send("DELETE", std::string("/storage/v1/b/pets/o/") + name);
  EXPECT_EQ(Read("pets", "all"), "one-two");
  EXPECT_EQ(Send("GET", "/storage/v1/b/pets/o/all?alt=media", "", {{"Range", "bytes=2-5"}}).body,
            "e-tw");
  Send("POST", "/storage/v1/b/pets/o/all/compose",
       R"({"sourceObjects":[{"name":"all"},{"name":"all"}]})");
  EXPECT_EQ(Read("pets", "all"), "one-twoone-two");
  EXPECT_EQ(Send("POST", "/storage/v1/b/pets/o/x/compose", R"({"sourceObjects":[{"name":"none"}]})")
                .status,
            404);
  EXPECT_EQ(Send("POST", "/storage/v1/b/pets/o/x/compose", R"({"sourceObjects":[]})").status, 400);
  Send("DELETE", "/storage/v1/b/pets/o/all");
  EXPECT_EQ(BlobCount(), 0);
}

TEST_F(ObjectsTest, ComposeTakesItsSourcesAwayWhenAsked) {
  Upload("pets", "a", "one-");
  Upload("pets", "b", "two-");
  auto compose = [&](const std::string& into, const std::string& sources) {
    return Send("POST", "/storage/v1/b/pets/o/" + into + "/compose",
                R"({"deleteSourceObjects":true,"sourceObjects":[)" + sources + "]}")
        .status;
  };
  EXPECT_EQ(compose("a", R"({"name":"a"},{"name":"b"},{"name":"b"})"), 200);
  EXPECT_EQ(Read("pets", "a"), "one-two-two-");
  EXPECT_EQ(Stat("b").status, 404);
  // Nothing goes when a source cannot: one that is held, or is not there.
  Upload("pets", "c", "three");
  Upload("pets", "held", "four");
  Send("PATCH", "/storage/v1/b/pets/o/held", R"({"temporaryHold":true})");
  EXPECT_EQ(compose("all", R"({"name":"c"},{"name":"held"})"), 403);
  EXPECT_EQ(compose("all", R"({"name":"c"},{"name":"none"})"), 404);
  EXPECT_EQ(Stat("all").status, 404);
  EXPECT_EQ(Read("pets", "c"), "three");
  // What is live becomes an old version where the bucket keeps those; an old version goes for good.
  Send("PATCH", "/storage/v1/b/pets", R"({"versioning":{"enabled":true}})");
  std::string old = Stat("c").Field("generation");
  std::string live = Upload("pets", "c", "five").Field("generation");
  EXPECT_EQ(compose("all", R"({"name":"c","generation":")" + old + R"("},{"name":"c"})"), 200);
  EXPECT_EQ(Read("pets", "all"), "threefive");
  EXPECT_EQ(Stat("c").status, 404);
  EXPECT_EQ(Send("GET", "/storage/v1/b/pets/o/c?generation=" + old).status, 404);
  EXPECT_EQ(Send("GET", "/storage/v1/b/pets/o/c?alt=media&generation=" + live).body, "five");
}

TEST_F(ObjectsTest, ComposeOfVeryManyPiecesIsCopied) {
  Upload("pets", "x", "ab");
  std::string expected = "ab";
  std::string doubled =
      R"({"sourceObjects":[{"name":"x"},{"name":"x"},{"name":"x"},{"name":"x"}]})";
  for (int i = 0; i < 5; ++i) {
    ASSERT_EQ(Send("POST", "/storage/v1/b/pets/o/x/compose", doubled).status, 200);
    expected += expected + expected + expected;
  }
  EXPECT_EQ(Read("pets", "x"), expected);
  Send("DELETE", "/storage/v1/b/pets/o/x");
  EXPECT_EQ(BlobCount(), 0);
}

TEST_F(ObjectsTest, VersionsAreKeptWhereTheBucketSaysSo) {
  Send("PATCH", "/storage/v1/b/pets", R"({"versioning":{"enabled":true}})");
  std::string g1 = Upload("pets", "o", "1").Field("generation");
  std::string g2 = Upload("pets", "o", "2").Field("generation");
  EXPECT_EQ(Send("GET", "/storage/v1/b/pets/o/o?alt=media&generation=" + g1).body, "1");
  EXPECT_EQ(Send("GET", "/storage/v1/b/pets/o?fields=items/generation").body,
            R"({"items":[{"generation":")" + g2 + R"("}]})");
  EXPECT_EQ(Send("GET", "/storage/v1/b/pets/o?versions=True&fields=items/generation").body,
            R"({"items":[{"generation":")" + g1 + R"("},{"generation":")" + g2 + R"("}]})");
  EXPECT_EQ(Send("DELETE", "/storage/v1/b/pets/o/o").status, 204);
  EXPECT_EQ(Stat("o").status, 404);
  EXPECT_EQ(Send("GET", "/storage/v1/b/pets/o/o?alt=media&generation=" + g2).body, "2");
  EXPECT_THAT(Send("GET", "/storage/v1/b/pets/o/o?generation=" + g2).body,
              HasSubstr("timeDeleted"));
  EXPECT_EQ(Send("POST", "/storage/v1/b/pets/o/o/copyTo/b/pets/o/o?sourceGeneration=" + g1).status,
            200);
  EXPECT_EQ(Read("pets", "o"), "1");
  EXPECT_EQ(Send("DELETE", "/storage/v1/b/pets").status, 409);
  std::string g3 = Stat("o").Field("generation");
  for (const std::string& g : {g1, g2, g3}) {
    EXPECT_EQ(Send("DELETE", "/storage/v1/b/pets/o/o?generation=" + g).status, 204);
  }
  EXPECT_EQ(BlobCount(), 0);
  EXPECT_EQ(Send("DELETE", "/storage/v1/b/pets").status, 204);
}

TEST_F(ObjectsTest, ListsWithDelimiterAndNeverAnEmptyToken) {
  for (const char* name : {"a", "d/x", "d/y", "e"}) Upload("pets", name, "1");
  EXPECT_EQ(
      Send("GET", "/storage/v1/b/pets/o?delimiter=/&fields=items/name,prefixes,nextPageToken").body,
      R"({"prefixes":["d/"],"items":[{"name":"a"},{"name":"e"}]})");
  EXPECT_EQ(Send("GET", "/storage/v1/b/pets/o?delimiter=&prefix=d%2F&fields=items/name").body,
            R"({"items":[{"name":"d/x"},{"name":"d/y"}]})");
  Reply page = Send("GET", "/storage/v1/b/pets/o?maxResults=3");
  EXPECT_NE(page.Field("nextPageToken"), "");
  EXPECT_THAT(Send("GET", "/storage/v1/b/pets/o?maxResults=4").body,
              Not(HasSubstr("nextPageToken")));
  EXPECT_EQ(Send("GET", "/storage/v1/b/pets/o?pageToken=bad").status, 400);
  EXPECT_EQ(Send("GET", "/storage/v1/b/pets/o?prefix=zzz").body, R"({"kind":"storage#objects"})");
}

TEST_F(ObjectsTest, PermissionIsAskedForTheSourceAsWell) {
  Send("POST", "/storage/v1/b?project=my-project", R"({"name":"other"})");
  Upload("pets", "o", "1");
  // Else the object's own list would let its owner in.
  Send("PATCH", "/storage/v1/b/pets",
       R"({"iamConfiguration":{"uniformBucketLevelAccess":{"enabled":true}}})");
  access.refused = "storage.objects.get buckets/pets";
  EXPECT_EQ(Send("POST", "/storage/v1/b/pets/o/o/rewriteTo/b/other/o/o").status, 403);
  EXPECT_EQ(Send("GET", "/storage/v1/b/pets/o/o").status, 403);
  access.refused = "storage.objects.create buckets/pets";
  EXPECT_EQ(Upload("pets", "p", "1").status, 403);
}

TEST_F(ObjectsTest, GenerationsGrowWhateverTheClockDoes) {
  std::string before = Upload("pets", "o", "1").Field("generation");
  Send("DELETE", "/storage/v1/b/pets/o/o");
  SimClock earlier(FromMicros(1'600'000'000'000'000));
  ObjectStore store(catalog, blobs, earlier, log);
  NewObject object{"pets", "o", {}, {}};
  EXPECT_GT(store.Insert(object).generation, std::stoll(before));
}

}  // namespace
}  // namespace fireweed::storage
