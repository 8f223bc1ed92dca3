#include "storage/acl.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "storage/access_fixture.h"

namespace fireweed::storage {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr ProjectNames kHome{"my-project", 4711};

TEST(AclEntityTest, FormsAndMembers) {
  struct Row {
    const char *entity, *member;
  };
  for (const Row& row :
       {Row{"user-ann@x.org", "user:ann@x.org"}, Row{"group-all@x.org", "group:all@x.org"},
        Row{"user-sa@p.iam.gserviceaccount.com", "serviceAccount:sa@p.iam.gserviceaccount.com"},
        Row{"domain-x.org", "domain:x.org"}, Row{"project-owners-4711", "projectOwner:my-project"},
        Row{"project-viewers-12", "projectViewer:12"}, Row{"allUsers", "allUsers"},
        Row{"allAuthenticatedUsers", "allAuthenticatedUsers"}}) {
    EXPECT_EQ(NormalEntity(row.entity), row.entity);
    EXPECT_EQ(MemberOf(row.entity, kHome), row.member);
    EXPECT_EQ(EntityOf(row.member, kHome), row.entity);
  }
  EXPECT_EQ(NormalEntity("user-Ann@X.org"), "user-ann@x.org");
  EXPECT_EQ(EntityOf("projectOwner:other", kHome), "");
  EXPECT_EQ(EntityOf("deleted:user:ann@x.org", kHome), "");
  for (const char* bad : {"", "ann@x.org", "user-", "user-ann", "user-invalid_$$@hello.com",
                          "user-@x.org", "user-ann@", "domain-", "domain-a..b", "project-owners-",
                          "project-owners-abc", "project-friends-12", "allusers"}) {
    EXPECT_THROW(NormalEntity(bad), Failure) << bad;
  }
}

TEST(AclTest, TheLastEntryOfAnEntityStandsAndRolesAreThoseOfItsKind) {
  Acl acl(3);
  acl[0].entity = "user-ann@x.org";
  acl[0].role = "READER";
  acl[1].entity = "allUsers";
  acl[1].role = "reader";
  acl[2].entity = "user-ANN@x.org";
  acl[2].role = "OWNER";
  NormalizeAcl(acl, AclOf::kObject);
  ASSERT_EQ(acl.size(), 2u);
  EXPECT_EQ(acl[0].entity + " " + acl[0].role, "user-ann@x.org OWNER");
  EXPECT_EQ(acl[1].entity + " " + acl[1].role, "allUsers READER");
  acl[0].role = "WRITER";
  EXPECT_THROW(NormalizeAcl(acl, AclOf::kObject), Failure);
  EXPECT_NO_THROW(NormalizeAcl(acl, AclOf::kBucket));
  acl[0].role = "CLEANER";
  EXPECT_THROW(NormalizeAcl(acl, AclOf::kBucket), Failure);
}

class AclsTest : public testing::Test, protected AccessFixture {};

TEST_F(AclsTest, EntriesOfAllThreeListsComeAndGo) {
  MakeBucket("pets");
  struct Row {
    const char *path, *kind, *list_kind;
  };
  for (const Row& row : {Row{"/storage/v1/b/pets/acl", "storage#bucketAccessControl",
                             "storage#bucketAccessControls"},
                         Row{"/storage/v1/b/pets/defaultObjectAcl", "storage#objectAccessControl",
                             "storage#objectAccessControls"},
                         Row{"/storage/v1/b/pets/o/cat/acl", "storage#objectAccessControl",
                             "storage#objectAccessControls"}}) {
    std::string path = row.path, ann = path + "/user-ann@x.org";
    EXPECT_EQ(Send("GET", ann).status, 404) << path;
    Reply made = Send("POST", path, R"({"entity":"user-Ann@x.org","role":"READER"})");
    ASSERT_EQ(made.status, 200) << made.body;
    EXPECT_EQ(made.Field("kind"), row.kind);
    EXPECT_EQ(made.Field("entity"), "user-ann@x.org");
    EXPECT_EQ(made.Field("email"), "ann@x.org");
    EXPECT_FALSE(made.Field("etag").empty());
    Reply list = Send("GET", path);
    EXPECT_EQ(list.Field("kind"), row.list_kind);
    EXPECT_THAT(list.body, HasSubstr("user-ann@x.org"));
    EXPECT_THAT(list.body, HasSubstr(R"("team":"owners")"));
    EXPECT_EQ(Send("PATCH", ann, R"({"role":"OWNER"})").Field("role"), "OWNER");
    EXPECT_EQ(Send("PUT", ann, R"({"entity":"user-ann@x.org","role":"READER"})").Field("role"),
              "READER");
    EXPECT_EQ(Send("GET", ann).Field("role"), "READER");
    EXPECT_EQ(Send("PUT", ann, "{}").status, 400);
    EXPECT_EQ(Send("PATCH", ann, R"({"role":"CLEANER"})").status, 400);
    EXPECT_EQ(Send("POST", path, R"({"entity":"user-a_$$@x.org","role":"READER"})").status, 400);
    EXPECT_EQ(Send("POST", path, R"({"role":"READER"})").status, 400);
    EXPECT_EQ(Send("POST", path, R"({"entity":"allUsers"})").status, 400);
    EXPECT_EQ(Send("DELETE", ann).status, 204);
    EXPECT_EQ(Send("DELETE", ann).status, 404);
    EXPECT_EQ(Send("PATCH", ann, R"({"role":"OWNER"})").status, 404);
  }
  EXPECT_EQ(Send("GET", "/storage/v1/b/none/acl").status, 404);
  EXPECT_EQ(Send("GET", "/storage/v1/b/pets/o/none/acl").status, 404);
  EXPECT_EQ(Send("GET", "/storage/v1/b/pets/defaultObjectAcl?ifMetagenerationMatch=1").status, 412);
}

TEST_F(AclsTest, AnEmptiedListLeavesTheOwnerOnly) {
  MakeBucket("pets");
  Reply set = Send("PUT", "/storage/v1/b/pets/o/cat/iam", R"({"bindings":[]})");
  ASSERT_EQ(set.status, 200) << set.body;
  EXPECT_THAT(set.body, HasSubstr("user:owner@fireweed.local"));
  EXPECT_THAT(set.body, Not(HasSubstr("projectViewer")));
}

TEST_F(AclsTest, ObjectPoliciesAlwaysListTheLegacyBindings) {
  MakeBucket("pets");
  std::string path = "/storage/v1/b/pets/o/cat/iam";
  Reply policy = Send("GET", path);
  ASSERT_EQ(policy.status, 200) << policy.body;
  for (const char* part :
       {R"("kind":"storage#policy")", R"("resourceId":"projects/_/buckets/pets/objects/cat")",
        R"("role":"roles/storage.legacyObjectOwner")", R"("projectOwner:my-project")",
        R"("role":"roles/storage.legacyObjectReader")", R"("projectViewer:my-project")"}) {
    EXPECT_THAT(policy.body, HasSubstr(part));
  }
  std::string open =
      R"("bindings":[{"role":"roles/storage.legacyObjectReader","members":["allUsers"]}]})";
  EXPECT_EQ(Send("PUT", path, R"({"etag":"AAAA",)" + open).status, 412);
  Reply set = Send("PUT", path, R"({"etag":")" + policy.Field("etag") + "\"," + open);
  ASSERT_EQ(set.status, 200) << set.body;
  EXPECT_NE(set.Field("etag"), policy.Field("etag"));
  Upload("pets", "dog", "woof");
  Reply dog = Send("PUT", "/storage/v1/b/pets/o/dog/iam",
                   R"({"etag":")" + policy.Field("etag") + "\"," + open);
  EXPECT_EQ(dog.status, 200) << "a new object's policy fits other new ones, as gsutil has it";
  EXPECT_EQ(As("none", "GET", "/storage/v1/b/pets/o/cat?alt=media").body, "meow");
  for (const char* bad :
       {R"({"bindings":[{"role":"roles/storage.admin","members":["allUsers"]}]})",
        R"({"bindings":[{"role":"roles/storage.legacyObjectReader","members":["nobody"]}]})"}) {
    EXPECT_EQ(Send("PUT", path, bad).status, 400) << bad;
  }
  Reply may = As("none", "GET",
                 path +
                     "/testPermissions?permissions=storage.objects.get&permissions="
                     "storage.objects.delete");
  EXPECT_EQ(
      may.body,
      R"({"kind":"storage#testIamPermissionsResponse","permissions":["storage.objects.get"]})");
  EXPECT_EQ(
      Send("GET", path + "/testPermissions?permissions=foo&permissions=storage.objects.get").body,
      may.body)
      << "what is no permission is confirmed to nobody";
}

TEST_F(AclsTest, BucketPolicyEtagsAreConditions) {
  MakeBucket("pets");
  std::string body =
      R"("bindings":[{"role":"roles/storage.objectViewer","members":["user:ann@x.org"]}]})";
  EXPECT_EQ(Send("PUT", "/storage/v1/b/pets/iam", R"({"etag":"AAAA",)" + body).status, 412);
  std::string etag = Send("GET", "/storage/v1/b/pets/iam").Field("etag");
  EXPECT_EQ(Send("PUT", "/storage/v1/b/pets/iam", R"({"etag":")" + etag + "\"," + body).status,
            200);
}

TEST_F(AclsTest, PredefinedListsOnEveryMethodThatTakesThem) {
  MakeBucket("pets");
  Reply made = Send("POST",
                    "/storage/v1/b?project=my-project&predefinedAcl=publicRead"
                    "&predefinedDefaultObjectAcl=authenticatedRead",
                    R"({"name":"zoo"})");
  EXPECT_THAT(made.body, HasSubstr("allUsers"));
  EXPECT_THAT(made.body, HasSubstr("allAuthenticatedUsers"));
  struct Row {
    const char *method, *target, *body;
  };
  for (const Row& row : {
           Row{"PATCH", "/storage/v1/b/pets/o/cat?predefinedAcl=publicRead&projection=full",
               R"({"acl":[]})"},
           Row{"POST",
               "/storage/v1/b/pets/o/cat/copyTo/b/pets/o/c1?destinationPredefinedAcl=publicRead"
               "&projection=full",
               ""},
           Row{"POST",
               "/storage/v1/b/pets/o/cat/rewriteTo/b/pets/o/c2?destinationPredefinedAcl=publicRead"
               "&projection=full",
               ""},
           Row{"POST",
               "/storage/v1/b/pets/o/c3/compose?destinationPredefinedAcl=publicRead"
               "&projection=full",
               R"({"sourceObjects":[{"name":"cat"}]})"},
           Row{"PATCH", "/storage/v1/b/pets?predefinedAcl=publicRead&projection=full", "{}"},
           Row{"PATCH", "/storage/v1/b/pets?predefinedDefaultObjectAcl=publicRead&projection=full",
               "{}"},
       }) {
    Reply reply = Send(row.method, row.target, row.body);
    EXPECT_EQ(reply.status, 200) << row.target << reply.body;
    EXPECT_THAT(reply.body, HasSubstr(R"("entity":"allUsers")")) << row.target;
  }
  for (const char* query : {"&projection=full", "&projection=full&predefinedAcl=publicRead"}) {
    EXPECT_THAT(Upload("pets", "dog", "woof", query).body,
                HasSubstr(R"("entity":"user-owner@fireweed.local")"));
  }
  EXPECT_EQ(Send("PATCH", "/storage/v1/b/pets?predefinedAcl=friends", "{}").status, 400);
  EXPECT_EQ(Upload("pets", "dog", "woof", "&predefinedAcl=friends").status, 400);
  EXPECT_EQ(Send("GET", "/storage/v1/b/pets?projection=friends").status, 400);
}

TEST_F(AclsTest, AnEmptyDefaultListLeavesNewObjectsToTheirOwners) {
  MakeBucket("pets");
  Send("PATCH", "/storage/v1/b/pets?predefinedDefaultObjectAcl=private",
       R"({"defaultObjectAcl":[]})");
  EXPECT_EQ(Send("GET", "/storage/v1/b/pets/defaultObjectAcl").body,
            R"({"kind":"storage#objectAccessControls"})");
  Upload("pets", "dog", "woof");
  std::string list = Send("GET", "/storage/v1/b/pets/o/dog/acl").body;
  EXPECT_THAT(list, HasSubstr("user-owner@fireweed.local"));
  EXPECT_THAT(list, Not(HasSubstr("viewers")));
  Send("PATCH", "/storage/v1/b/pets", R"({"acl":[]})");
  EXPECT_THAT(Send("GET", "/storage/v1/b/pets/acl").body, HasSubstr(R"("team":"owners")"))
      << "a bucket is never without an owner";
}

TEST_F(AclsTest, ADefaultListCountsForNewObjectsOnly) {
  MakeBucket("pets");
  Send("PATCH", "/storage/v1/b/pets?predefinedDefaultObjectAcl=publicRead", "{}");
  Upload("pets", "dog", "woof");
  EXPECT_EQ(As("none", "GET", "/storage/v1/b/pets/o/cat?alt=media").status, 401);
  EXPECT_EQ(As("none", "GET", "/storage/v1/b/pets/o/dog?alt=media").body, "woof");
  Send("PATCH", "/storage/v1/b/pets?predefinedDefaultObjectAcl=private", "{}");
  EXPECT_EQ(As("none", "GET", "/storage/v1/b/pets/o/dog?alt=media").body, "woof");
}

}  // namespace
}  // namespace fireweed::storage
