#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "storage/access_fixture.h"

namespace fireweed::storage {
namespace {

using testing::HasSubstr;
using testing::Not;

class ObjectAccessTest : public testing::Test, protected AccessFixture {
 protected:
  void SetUp() override { MakeBucket("pets"); }
  void Grant(const std::string& path, const std::string& entity, const std::string& role) {
    Reply reply = Send("POST", path, R"({"entity":")" + entity + R"(","role":")" + role + "\"}");
    ASSERT_EQ(reply.status, 200) << reply.body;
  }
  int Status(const std::string& caller, const std::string& method, const std::string& target,
             const std::string& body = "") {
    return As(caller, method, target, body).status;
  }
  const std::string cat = "/storage/v1/b/pets/o/cat";
  const std::string ann = "user:ann@x.org", bob = "user:bob@x.org";
};

TEST_F(ObjectAccessTest, StrangersAreRefusedInGooglesWords) {
  Reply denied = As(ann, "GET", cat);
  EXPECT_EQ(denied.status, 403);
  EXPECT_EQ(
      denied.Field("message"),
      "ann@x.org does not have storage.objects.get access to the Google Cloud Storage object. "
      "Permission 'storage.objects.get' denied on resource (or it may not exist).");
  Reply nobody = As("none", "GET", cat);
  EXPECT_EQ(nobody.status, 401);
  EXPECT_THAT(nobody.body, HasSubstr("Anonymous caller does not have storage.objects.get access"));
  EXPECT_THAT(As(ann, "GET", "/storage/v1/b/pets").body,
              HasSubstr("storage.buckets.get access to the Google Cloud Storage bucket."));
  // Whether there is such an object is not told either.
  EXPECT_EQ(Status(ann, "GET", "/storage/v1/b/pets/o/none"), 403);
  EXPECT_EQ(Status("none", "GET", "/storage/v1/b/pets/o/none"), 401);
  EXPECT_EQ(Status("none", "GET", "/pets/cat"), 401);
  EXPECT_EQ(Status("none", "GET", cat + "?ifMetagenerationMatch=7"), 401);
}

TEST_F(ObjectAccessTest, AnObjectsListDecides) {
  Grant(cat + "/acl", "user-ann@x.org", "READER");
  Upload("pets", "dog", "woof");
  struct Row {
    const char *method, *target, *body;
    int status;
  };
  for (const Row& row : {
           Row{"GET", "/storage/v1/b/pets/o/cat", "", 200},
           Row{"GET", "/storage/v1/b/pets/o/cat?alt=media", "", 200},
           Row{"GET", "/download/storage/v1/b/pets/o/cat?alt=media", "", 200},
           Row{"GET", "/pets/cat", "", 200},
           Row{"HEAD", "/pets/cat", "", 200},
           Row{"GET", "/storage/v1/b/pets/o/cat?ifMetagenerationMatch=1", "", 412},
           Row{"GET", "/storage/v1/b/pets/o/dog", "", 403},
           Row{"GET", "/pets/dog", "", 403},
           Row{"GET", "/storage/v1/b/pets/o", "", 403},
           Row{"PATCH", "/storage/v1/b/pets/o/cat", "{}", 403},
           Row{"PUT", "/storage/v1/b/pets/o/cat", "{}", 403},
           Row{"DELETE", "/storage/v1/b/pets/o/cat", "", 403},
           Row{"GET", "/storage/v1/b/pets/o/cat/acl", "", 403},
           Row{"GET", "/storage/v1/b/pets/o/cat/iam", "", 403},
           Row{"POST", "/storage/v1/b/pets/o/cat/acl", R"({"entity":"allUsers","role":"READER"})",
               403},
           Row{"POST", "/storage/v1/b/pets/o/cat/copyTo/b/pets/o/copy", "", 403},
       }) {
    EXPECT_EQ(Status(ann, row.method, row.target, row.body), row.status)
        << row.method << " " << row.target;
    int others = Status(bob, row.method, row.target, row.body);
    EXPECT_EQ(others, 403) << row.method << " " << row.target;
  }
  EXPECT_THAT(As(ann, "GET", cat + "?projection=full").body, Not(HasSubstr("\"acl\"")));
  Grant(cat + "/acl", "user-ann@x.org", "OWNER");
  EXPECT_THAT(As(ann, "GET", cat + "?projection=full").body, HasSubstr("\"acl\""));
  EXPECT_EQ(Status(ann, "PATCH", cat, R"({"metadata":{"a":"b"}})"), 200);
  EXPECT_EQ(Status(ann, "GET", cat + "/acl"), 200);
  EXPECT_EQ(Status(ann, "DELETE", cat + "/acl/user-ann@x.org"), 204);
  EXPECT_EQ(Status(ann, "GET", cat), 403);
}

TEST_F(ObjectAccessTest, EveryKindOfEntityIsLookedUp) {
  catalog.Write("group", [](Txn& txn) {
    identity::GroupRecord group{"all@x.org", {"user:ann@x.org"}, {}};
    txn.Put("all@x.org", group);
  });
  std::string number = std::to_string(ProjectNumber());
  struct Row {
    const char *entity, *in, *out;
  };
  for (const Row& row : {Row{"group-all@x.org", "user:ann@x.org", "user:bob@x.org"},
                         Row{"domain-x.org", "user:ann@x.org", "user:ann@y.org"},
                         Row{"allAuthenticatedUsers", "user:zoe@z.org", "none"},
                         Row{"user-sa@p.iam.gserviceaccount.com",
                             "serviceAccount:sa@p.iam.gserviceaccount.com", "user:sa@p.org"}}) {
    Grant(cat + "/acl", row.entity, "READER");
    EXPECT_EQ(Status(row.in, "GET", cat), 200) << row.entity;
    EXPECT_NE(Status(row.out, "GET", cat), 200) << row.entity;
    Send("DELETE", cat + "/acl/" + row.entity);
    EXPECT_NE(Status(row.in, "GET", cat), 200) << row.entity;
  }
}

TEST_F(ObjectAccessTest, ABucketsListDecidesThroughTheLegacyRoles) {
  Grant("/storage/v1/b/pets/acl", "user-ann@x.org", "WRITER");
  EXPECT_EQ(Status(ann, "GET", "/storage/v1/b/pets/o"), 200);
  EXPECT_EQ(Status(ann, "GET", cat), 403) << "a bucket's writer is no reader of its objects";
  EXPECT_EQ(Status(ann, "GET", "/storage/v1/b/pets/o/none"), 404) << "who may list is told";
  std::string upload = "/upload/storage/v1/b/pets/o?uploadType=media&name=dog";
  EXPECT_EQ(Status(ann, "POST", upload, "woof"), 200);
  EXPECT_EQ(Status(ann, "GET", "/storage/v1/b/pets/o/dog"), 200) << "but owns what it made";
  EXPECT_THAT(As(ann, "GET", "/storage/v1/b/pets/o/dog?projection=full").body,
              HasSubstr(R"("owner":{"entity":"user-ann@x.org"})"));
  EXPECT_EQ(Status(ann, "DELETE", cat), 204);
  EXPECT_EQ(Status(ann, "PATCH", "/storage/v1/b/pets", "{}"), 403);
  Reply shown = As(ann, "GET", "/storage/v1/b/pets?projection=full");
  EXPECT_EQ(shown.status, 200);
  EXPECT_THAT(shown.body, Not(HasSubstr("\"acl\"")));
  EXPECT_EQ(Status(ann, "GET", "/storage/v1/b/pets/acl"), 403);
}

TEST_F(ObjectAccessTest, ReplacingTakesTheRightToDelete) {
  Send("PUT", "/storage/v1/b/pets/iam",
       R"({"bindings":[{"role":"roles/storage.objectCreator","members":["user:ann@x.org"]}]})");
  Grant(cat + "/acl", "user-ann@x.org", "READER");
  std::string upload = "/upload/storage/v1/b/pets/o?uploadType=media&name=";
  EXPECT_EQ(Status(ann, "POST", upload + "dog", "woof"), 200);
  Reply again = As(ann, "POST", upload + "dog", "woof");
  EXPECT_EQ(again.status, 403) << "not even its own";
  EXPECT_THAT(again.body, HasSubstr("ann@x.org does not have storage.objects.delete access"));
  std::string copy = cat + "/copyTo/b/pets/o/copy";
  EXPECT_EQ(Status(ann, "POST", copy), 200);
  EXPECT_EQ(Status(ann, "POST", copy), 403);
  Reply begun = As(ann, "POST", "/upload/storage/v1/b/pets/o?uploadType=resumable&name=dog", "{}");
  ASSERT_EQ(begun.status, 200) << begun.body;
  std::string where = begun.Header("Location");
  where = where.substr(where.find("/upload/"));
  EXPECT_EQ(As("none", "PUT", where, "wau").status, 403);
  Reply parts = As(ann, "POST", "/pets/dog?uploads");
  ASSERT_EQ(parts.status, 200) << parts.body;
  size_t at = parts.body.find("<UploadId>") + 10;
  std::string id = parts.body.substr(at, parts.body.find('<', at) - at);
  EXPECT_EQ(Status(ann, "PUT", "/pets/dog?partNumber=1&uploadId=" + id, "wau"), 200);
  EXPECT_EQ(Status(ann, "POST", "/pets/dog?uploadId=" + id,
                   "<CompleteMultipartUpload><Part><PartNumber>1</PartNumber><ETag></ETag></Part>"
                   "</CompleteMultipartUpload>"),
            403);
  EXPECT_EQ(Read("pets", "dog"), "woof");
}

TEST_F(ObjectAccessTest, SourcesOfCopiesAreJudgedByTheirLists) {
  Send("POST", "/storage/v1/b?project=my-project", R"({"name":"zoo"})");
  Grant("/storage/v1/b/zoo/acl", "user-ann@x.org", "WRITER");
  std::string copy = cat + "/rewriteTo/b/zoo/o/cat";
  EXPECT_EQ(Status(ann, "POST", copy), 403);
  Grant(cat + "/acl", "user-ann@x.org", "READER");
  EXPECT_EQ(Status(ann, "POST", copy), 200);
  EXPECT_EQ(Status(ann, "GET", "/storage/v1/b/zoo/o/cat"), 200) << "the copy is ann's";
  EXPECT_EQ(Status("none", "GET", "/storage/v1/b/zoo/o/cat"), 401) << "lists are not copied";
}

TEST_F(ObjectAccessTest, UniformAccessPassesListsOver) {
  Grant(cat + "/acl", "allUsers", "READER");
  EXPECT_EQ(Status("none", "GET", cat), 200);
  std::string on = R"({"iamConfiguration":{"uniformBucketLevelAccess":{"enabled":true}}})";
  ASSERT_EQ(Send("PATCH", "/storage/v1/b/pets", on).status, 200);
  EXPECT_EQ(Status("none", "GET", cat), 401);
  struct Row {
    const char *method, *target, *body;
  };
  for (const Row& row :
       {Row{"GET", "/storage/v1/b/pets/acl", ""},
        Row{"POST", "/storage/v1/b/pets/acl", R"({"entity":"allUsers","role":"READER"})"},
        Row{"GET", "/storage/v1/b/pets/defaultObjectAcl", ""},
        Row{"GET", "/storage/v1/b/pets/o/cat/acl", ""},
        Row{"POST", "/storage/v1/b/pets/o/cat/acl", R"({"entity":"allUsers","role":"READER"})"},
        Row{"GET", "/storage/v1/b/pets/o/cat/iam", ""},
        Row{"PATCH", "/storage/v1/b/pets?predefinedAcl=publicRead", "{}"},
        Row{"PATCH", "/storage/v1/b/pets/o/cat?predefinedAcl=publicRead", "{}"},
        Row{"PATCH", "/storage/v1/b/pets?predefinedAcl=projectPrivate", "{}"},
        Row{"POST", "/upload/storage/v1/b/pets/o?uploadType=media&name=d&predefinedAcl=publicRead",
            "x"}}) {
    Reply reply = Send(row.method, row.target, row.body);
    EXPECT_EQ(reply.status, 400) << row.target << reply.body;
    EXPECT_THAT(reply.body, HasSubstr("when uniform bucket-level access is enabled"));
  }
  EXPECT_EQ(Send("PATCH", "/storage/v1/b/pets", R"({"acl":[],"labels":{"a":"b"}})").status, 200);
  EXPECT_EQ(Upload("pets", "dog", "woof").status, 200);
  std::string off = R"({"iamConfiguration":{"uniformBucketLevelAccess":{"enabled":false}}})";
  ASSERT_EQ(Send("PATCH", "/storage/v1/b/pets", off).status, 200);
  EXPECT_EQ(Status("none", "GET", cat), 200) << "what the list said before counts again";
  Send("PATCH", "/storage/v1/b/pets", on);
  clock.Advance(std::chrono::hours(91 * 24));
  EXPECT_EQ(Send("PATCH", "/storage/v1/b/pets", off).status, 412) << "locked after 90 days";
}

TEST_F(ObjectAccessTest, PublicAccessPrevention) {
  Grant(cat + "/acl", "allUsers", "READER");
  std::string open =
      R"({"bindings":[{"role":"roles/storage.objectViewer","members":["allUsers"]},)"
      R"({"role":"roles/storage.legacyBucketOwner","members":["projectOwner:my-project"]}]})";
  Send("PUT", "/storage/v1/b/pets/iam", open);
  Upload("pets", "dog", "woof");
  EXPECT_EQ(Status("none", "GET", "/storage/v1/b/pets/o/dog"), 200);
  std::string on = R"({"iamConfiguration":{"publicAccessPrevention":"enforced"}})";
  ASSERT_EQ(Send("PATCH", "/storage/v1/b/pets", on).status, 200);
  EXPECT_EQ(Status("none", "GET", "/storage/v1/b/pets/o/dog"), 401) << "by policy";
  EXPECT_EQ(Status("none", "GET", cat), 401) << "by list";
  EXPECT_EQ(Status(ann, "GET", cat), 403);
  for (const char* path : {"/storage/v1/b/pets/acl", "/storage/v1/b/pets/defaultObjectAcl",
                           "/storage/v1/b/pets/o/cat/acl"}) {
    Reply reply = Send("POST", path, R"({"entity":"allAuthenticatedUsers","role":"READER"})");
    EXPECT_EQ(reply.status, 412) << path << reply.body;
    EXPECT_THAT(reply.body, HasSubstr("public access prevention is enforced"));
  }
  EXPECT_EQ(Send("PUT", "/storage/v1/b/pets/iam", open).status, 200) << "it was there before";
  std::string more =
      R"({"bindings":[{"role":"roles/storage.objectAdmin","members":["allUsers"]}]})";
  EXPECT_EQ(Send("PUT", "/storage/v1/b/pets/iam", more).status, 412);
  EXPECT_EQ(Upload("pets", "bat", "x", "&predefinedAcl=publicRead").status, 412);
  std::string off = R"({"iamConfiguration":{"publicAccessPrevention":"inherited"}})";
  Send("PATCH", "/storage/v1/b/pets", off);
  EXPECT_EQ(Status("none", "GET", "/storage/v1/b/pets/o/dog"), 200);
  std::string bad = R"({"iamConfiguration":{"publicAccessPrevention":"maybe"}})";
  EXPECT_THAT(Send("PATCH", "/storage/v1/b/pets", bad).body,
              HasSubstr("maybe is not a valid value"));
}

}  // namespace
}  // namespace fireweed::storage
