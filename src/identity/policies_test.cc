#include "identity/policies.h"

#include <gtest/gtest.h>

#include "catalog/memory_catalog.h"
#include "identity/project_filter.h"
#include "identity/projects.h"

namespace fireweed::identity {
namespace {

class PoliciesTest : public testing::Test {
 protected:
  PoliciesTest() {
    catalog_.Write("test", [](Txn& txn) { CreatePolicy(txn, "buckets/b", "projects/p"); });
  }
  Code Set(const api::Policy& policy) {
    try {
      policy_ =
          Update(catalog_, "set", [&](Txn& txn) { return SetPolicy(txn, "buckets/b", policy); });
    } catch (const Failure& failure) {
      return failure.error().code;
    }
    return Code::kInternal;  // none
  }
  MemoryCatalog catalog_;
  api::Policy policy_;
};

TEST_F(PoliciesTest, BindingsAreMergedAndEmptyOnesDropped) {
  Set({.bindings = {{"roles/viewer", {"user:B@x", "user:a@x"}, {}},
                    {"roles/viewer", {"user:b@x", "allUsers"}, {}},
                    {"roles/editor", {}, {}}}});
  ASSERT_EQ(policy_.bindings.size(), 1u);
  EXPECT_EQ(policy_.bindings[0].members,
            (std::vector<std::string>{"user:b@x", "user:a@x", "allUsers"}));
}

TEST_F(PoliciesTest, TheEtagGuardsAgainstLostChanges) {
  api::Policy first = Query(catalog_, [](Txn& txn) { return GetPolicy(txn, "buckets/b"); });
  EXPECT_EQ(first.etag.raw.size(), 8u);
  EXPECT_EQ(Set({.etag = first.etag, .bindings = {{"roles/viewer", {"allUsers"}, {}}}}),
            Code::kInternal);
  EXPECT_NE(policy_.etag, first.etag);
  EXPECT_EQ(Set({.etag = first.etag}), Code::kExists);
  EXPECT_EQ(Set({}), Code::kInternal) << "no etag: whatever was there";
  // Made anew with other content, it does not match an old etag of the same version.
  catalog_.Write("test", [](Txn& txn) {
    ErasePolicy(txn, "buckets/b");
    CreatePolicy(txn, "buckets/b", "projects/q");
  });
  EXPECT_EQ(Set({.etag = first.etag}), Code::kExists);
}

TEST_F(PoliciesTest, MissingAndDoubleRowsAreErrors) {
  EXPECT_THROW(Query(catalog_, [](Txn& txn) { return GetPolicy(txn, "buckets/none"); }), Failure);
  EXPECT_THROW(
      catalog_.Write("test", [](Txn& txn) { CreatePolicy(txn, "buckets/b", "projects/p"); }),
      Failure);
}

TEST_F(PoliciesTest, TooManyMembersAreRefused) {
  api::Policy policy{.bindings = {{"roles/viewer", {}, {}}}};
  for (int i = 0; i < 1501; ++i) {
    policy.bindings[0].members.push_back("user:u" + std::to_string(i) + "@x");
  }
  EXPECT_EQ(Set(policy), Code::kInvalid);
}

TEST(Members, AreNormalisedOrRefused) {
  EXPECT_EQ(NormalMember("user:Ann@X.org"), "user:ann@x.org");
  EXPECT_EQ(NormalMember("allUsers"), "allUsers");
  EXPECT_EQ(NormalMember("projectOwner:my-project"), "projectOwner:my-project");
  for (const char* bad : {"", "ann", "user:", "user:ann", "user:@x", "user:ann@", "robot:a@x",
                          "user:a b@x", "allusers", "user:a@x\n"}) {
    EXPECT_THROW(NormalMember(bad), Failure) << bad;
  }
}

TEST(ProjectIds, FollowTheRule) {
  for (const char* good : {"my-project", "abcdef", "a12345", "a23456789012345678901234567890"}) {
    EXPECT_TRUE(IsProjectId(good)) << good;
  }
  for (const char* bad : {"", "short", "Upper-case", "1digit-first", "dash-last-", "under_score",
                          "a234567890123456789012345678901", "-", "sl/ashes"}) {
    EXPECT_FALSE(IsProjectId(bad)) << bad;
  }
}

TEST(ProjectFilter, AllTermsMustHold) {
  api::crm::Project project{.projectId = "my-project",
                            .projectNumber = 123456789012,
                            .name = "My Project",
                            .labels = {{"env", "dev"}}};
  for (const char* good :
       {"", "lifecycleState:ACTIVE", "lifecycleState=ACTIVE id:my-*", "labels.env:dev",
        "labels.env:*", "projectNumber=123456789012 AND id=\"my-project\"", "name:my*",
        "lifecycleState:ACTIVE AND (name:my*)",
        "(id:x OR (labels.env:dev AND name:\"my project\"))", "NOT id:x -labels.env:prod",
        "id:x OR id:y OR id:my-*", "NOT NOT (id:my-project)"}) {
    EXPECT_TRUE(MatchesFilter(project, good)) << good;
  }
  for (const char* bad :
       {"lifecycleState:DELETE_REQUESTED", "lifecycleState:ACTIVE id:other", "labels.env:prod",
        "labels.team:*", "NOT (id:my-*)", "lifecycleState:ACTIVE AND (id:x OR id:y)"}) {
    EXPECT_FALSE(MatchesFilter(project, bad)) << bad;
  }
  for (const char* wrong : {"colour:red", "active", ":x", "(id:x", "id:x)", "id:x OR", "()", "NOT",
                            "id:my-* OR colour:red"}) {
    EXPECT_THROW(MatchesFilter(project, wrong), Failure) << wrong;
  }
}

}  // namespace
}  // namespace fireweed::identity
