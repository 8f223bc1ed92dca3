#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "identity/policies.h"
#include "storage/bucket_rules.h"
#include "storage/storage_fixture.h"

namespace fireweed::storage {
namespace {

using testing::HasSubstr;
using testing::Not;

class BucketsTest : public testing::Test, protected StorageFixture {
 protected:
  Reply Make(const std::string& name, const std::string& more = "") {
    return Send("POST", "/storage/v1/b?project=my-project&projection=full",
                R"({"name":")" + name + "\"" + more + "}");
  }
};

TEST_F(BucketsTest, InsertShowsWhatClientsNeed) {
  Reply made = Make("pets", R"(,"location":"us-central1","labels":{"a":"b"})");
  ASSERT_EQ(made.status, 200) << made.body;
  for (const char* part :
       {R"("kind":"storage#bucket")", R"("id":"pets")", R"("name":"pets")",
        R"("location":"US-CENTRAL1")", R"("locationType":"region")", R"("storageClass":"STANDARD")",
        R"("metageneration":"1")", R"("labels":{"a":"b"})",
        R"("uniformBucketLevelAccess":{"enabled":false})",
        R"("bucketPolicyOnly":{"enabled":false})", R"("publicAccessPrevention":"inherited")",
        R"("role":"OWNER")", R"("defaultObjectAcl":[)", R"("projectNumber":")",
        R"("timeCreated":")"}) {
    EXPECT_THAT(made.body, HasSubstr(part));
  }
  for (const char* part : {"lifecycle", "cors", "website", "\"project\":", "logging"}) {
    EXPECT_THAT(made.body, Not(HasSubstr(part)));
  }
  Reply twice = Make("pets");
  EXPECT_EQ(twice.status, 409);
  EXPECT_THAT(twice.body, HasSubstr("you already own it"));
}

TEST_F(BucketsTest, BadNamesAreRefused) {
  for (const char* name : {"", "ab", "Pets", "-pets", "pets-", "a..b", "pe ts", "pe/ts"}) {
    EXPECT_EQ(Make(name).status, 400) << name;
  }
  EXPECT_EQ(Make(std::string(64, 'a')).status, 400);
  EXPECT_EQ(Make(std::string(63, 'a')).status, 200);
  EXPECT_EQ(Make("a.b-c_d").status, 200);
}

TEST_F(BucketsTest, GetComesInlineTheSecondTimeAndIsNeverStale) {
  Make("pets");
  std::string target = "/storage/v1/b/pets";
  net::Origin origin;
  net::Request request;
  request.method = "GET";
  request.target = request.path = target;
  request.host = "storage.googleapis.com";
  request.origin = &origin;
  EXPECT_FALSE(router->TryInline(request));
  std::string first = Send("GET", target).body;
  std::optional<net::Response> second = router->TryInline(request);
  ASSERT_TRUE(second);
  EXPECT_EQ(*std::get<std::shared_ptr<const std::string>>(second->body), first);
  EXPECT_THAT(first, Not(HasSubstr("\"acl\"")));
  request.query = "projection=full";
  std::optional<net::Response> full = router->TryInline(request);
  ASSERT_TRUE(full);
  EXPECT_THAT(*std::get<std::shared_ptr<const std::string>>(full->body), HasSubstr("\"acl\""));
  request.query = "fields=name";
  EXPECT_FALSE(router->TryInline(request));
  EXPECT_EQ(Send("GET", target + "?fields=name").body, R"({"name":"pets"})");
  Send("PATCH", target, R"({"labels":{"x":"y"}})");
  request.query = "";
  EXPECT_FALSE(router->TryInline(request)) << "the change dropped what was cached";
  EXPECT_THAT(Send("GET", target).body, HasSubstr(R"("labels":{"x":"y"})"));
  Send("DELETE", target);
  EXPECT_EQ(Send("GET", target).status, 404);
}

TEST_F(BucketsTest, MissingIsSaidInTheWordsClientsKnow) {
  Reply reply = Send("GET", "/storage/v1/b/none");
  EXPECT_EQ(reply.status, 404);
  EXPECT_EQ(reply.Field("message"), "The specified bucket does not exist.");
  EXPECT_EQ(Send("PATCH", "/storage/v1/b/none", "{}").status, 404);
  EXPECT_EQ(Send("DELETE", "/storage/v1/b/none").status, 404);
  EXPECT_EQ(Send("GET", "/storage/v1/b/none/iam").status, 404);
  EXPECT_EQ(Send("GET", "/storage/v1/b/none/storageLayout").status, 404);
  EXPECT_EQ(Send("GET", "/storage/v1/b/none/o").status, 404);
}

TEST_F(BucketsTest, ListsAProjectsBucketsPageByPage) {
  EXPECT_EQ(Send("GET", "/storage/v1/b?project=my-project").body, R"({"kind":"storage#buckets"})");
  for (const char* name : {"dog", "cat", "cow"}) Make(name);
  Send("POST", "/storage/v1/b?project=other-project", R"({"name":"bat"})");
  std::string target =
      "/storage/v1/b?project=my-project&maxResults=2&fields=items/id,nextPageToken";
  Reply first = Send("GET", target);
  EXPECT_THAT(first.body, HasSubstr(R"("items":[{"id":"cat"},{"id":"cow"}])"));
  Reply second = Send("GET", target + "&pageToken=" + first.Field("nextPageToken"));
  EXPECT_EQ(second.body, R"({"items":[{"id":"dog"}]})");
  EXPECT_EQ(Send("GET", "/storage/v1/b?project=my-project&prefix=c&fields=items/id").body,
            R"({"items":[{"id":"cat"},{"id":"cow"}]})");
  EXPECT_EQ(Send("GET", "/storage/v1/b").status, 400);
}

TEST_F(BucketsTest, PatchMergesAndCountsUp) {
  Make("pets", R"(,"labels":{"a":"1","b":"2"})");
  Reply reply = Send(
      "PATCH", "/storage/v1/b/pets?ifMetagenerationMatch=1",
      R"({"labels":{"a":null,"c":"3"},"cors":[{"maxAgeSeconds":5}],"versioning":{"enabled":true},)"
      R"("lifecycle":{"rule":[{"action":{"type":"Delete"},"condition":{"age":3}}]},)"
      R"("website":{"mainPageSuffix":"i.html"},"retentionPolicy":{"retentionPeriod":"60"},)"
      R"("autoclass":{"enabled":true},"bucketPolicyOnlyIsUnknown":1})");
  ASSERT_EQ(reply.status, 200) << reply.body;
  for (const char* part : {R"("labels":{"b":"2","c":"3"})", R"("metageneration":"2")",
                           R"("cors":[{"maxAgeSeconds":5}])", R"("versioning":{"enabled":true})",
                           R"("age":3)", R"("mainPageSuffix":"i.html")", R"("effectiveTime":")",
                           R"("autoclass":{"enabled":true,"toggleTime":")"}) {
    EXPECT_THAT(reply.body, HasSubstr(part));
  }
  reply = Send("PATCH", "/storage/v1/b/pets",
               R"({"lifecycle":null,"website":null,"cors":[],"labels":null})");
  for (const char* part : {"lifecycle", "website", "cors", "labels"}) {
    EXPECT_THAT(reply.body, Not(HasSubstr(part)));
  }
  EXPECT_EQ(Send("PATCH", "/storage/v1/b/pets?ifMetagenerationMatch=1", "{}").status, 412);
  EXPECT_EQ(Send("GET", "/storage/v1/b/pets?ifMetagenerationNotMatch=3").status, 304);
  EXPECT_EQ(Send("PATCH", "/storage/v1/b/pets", R"({"location":"EU"})").status, 400);
  reply = Send("PATCH", "/storage/v1/b/pets?projection=full",
               R"({"iamConfiguration":{"bucketPolicyOnly":{"enabled":true}}})");
  EXPECT_THAT(reply.body, HasSubstr(R"("uniformBucketLevelAccess":{"enabled":true,"lockedTime":)"));
  EXPECT_THAT(reply.body, Not(HasSubstr("\"acl\"")));
}

TEST_F(BucketsTest, AListOfAccessIsAPolicyAsWell) {
  Make("pets");
  Reply full = Send("GET", "/storage/v1/b/pets?projection=full&fields=acl");
  EXPECT_THAT(full.body, HasSubstr("project-owners-"));
  Reply reply = Send("PATCH", "/storage/v1/b/pets?projection=full",
                     R"({"acl":[{"entity":"user-bob@x.org","role":"WRITER"}]})");
  EXPECT_THAT(reply.body, HasSubstr(R"("email":"bob@x.org")"));
  Reply policy = Send("GET", "/storage/v1/b/pets/iam?optionsRequestedPolicyVersion=3");
  EXPECT_THAT(
      policy.body,
      HasSubstr(R"({"role":"roles/storage.legacyBucketWriter","members":["user:bob@x.org"]})"));
  EXPECT_THAT(policy.body, Not(HasSubstr("projectOwner")));
  reply =
      Send("PATCH", "/storage/v1/b/pets?predefinedAcl=publicRead&projection=full", R"({"acl":[]})");
  EXPECT_THAT(reply.body, HasSubstr("allUsers"))
      << "the empty list does not wipe the predefined one";
  std::string bindings =
      R"("bindings":[{"role":"roles/storage.legacyBucketReader","members":["group:g@x.org"]},)"
      R"({"role":"roles/storage.objectAdmin","members":["allUsers"]}])";
  Reply set = Send("PUT", "/storage/v1/b/pets/iam", "{" + bindings + "}");
  EXPECT_EQ(set.status, 200) << set.body;
  EXPECT_THAT(set.body, HasSubstr("storage#policy"));
  EXPECT_THAT(Send("GET", "/storage/v1/b/pets?projection=full").body, HasSubstr("group-g@x.org"));
  Reply stale = Send("PUT", "/storage/v1/b/pets/iam", R"({"etag":"AAAA",)" + bindings + "}");
  EXPECT_EQ(stale.status, 412);
  EXPECT_EQ(
      Send("GET",
           "/storage/v1/b/pets/iam/testPermissions?permissions=storage.objects.get&permissions=x.y")
          .body,
      R"({"kind":"storage#testIamPermissionsResponse","permissions":["storage.objects.get"]})");
}

TEST_F(BucketsTest, DeleteWantsAnEmptyBucket) {
  Make("pets");
  Upload("pets", "cat", "meow");
  Reply refused = Send("DELETE", "/storage/v1/b/pets");
  EXPECT_EQ(refused.status, 409);
  EXPECT_EQ(refused.Field("message"), "The bucket you tried to delete is not empty.");
  Send("DELETE", "/storage/v1/b/pets/o/cat");
  EXPECT_EQ(Send("DELETE", "/storage/v1/b/pets").status, 204);
  EXPECT_EQ(Send("GET", "/storage/v1/b?project=my-project&fields=items").body, "{}");
  EXPECT_EQ(Make("pets").status, 200) << "nothing of it is left";
}

TEST_F(BucketsTest, SmallThings) {
  Make("pets");
  EXPECT_EQ(
      Send("GET", "/storage/v1/b/pets/storageLayout").body,
      R"({"kind":"storage#storageLayout","bucket":"pets","location":"US","locationType":"multi-region",)"
      R"("hierarchicalNamespace":{"enabled":false}})");
  EXPECT_EQ(Send("GET", "/storage/v1/b/pets/managedFolders?pageSize=1000").body,
            R"({"kind":"storage#managedFolders","items":[]})");
  EXPECT_THAT(Send("GET", "/storage/v1/projects/my-project/serviceAccount").Field("email_address"),
              HasSubstr("@gs-project-accounts.iam.gserviceaccount.com"));
  EXPECT_TRUE(router->Collisions().empty());
}

}  // namespace
}  // namespace fireweed::storage
