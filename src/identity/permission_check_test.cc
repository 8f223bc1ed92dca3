#include "identity/permission_check.h"

#include <map>

#include <gtest/gtest.h>

namespace fireweed::identity {
namespace {

class TableRows final : public PolicyRows {
 public:
  std::shared_ptr<const Row<PolicyRecord>> Policy(std::string_view resource) override {
    return Find(policies, resource);
  }
  std::shared_ptr<const Row<GroupRecord>> Group(std::string_view email) override {
    return Find(groups, email);
  }
  std::map<std::string, PolicyRecord> policies;
  std::map<std::string, GroupRecord> groups;

 private:
  template <class T>
  static std::shared_ptr<const Row<T>> Find(const std::map<std::string, T>& table,
                                            std::string_view key) {
    auto it = table.find(std::string(key));
    if (it == table.end()) return nullptr;
    return std::make_shared<const Row<T>>(Row<T>{it->first, 1, it->second});
  }
};

net::Caller User(std::string email) { return {"user:" + email, email, "", {}}; }

class PermissionCheckTest : public testing::Test {
 protected:
  PermissionCheckTest() {
    rows_.policies["fireweed"] = {"", {{"roles/owner", {"user:root@x.org"}, {}}}};
    rows_.policies["projects/p"] = {"fireweed",
                                    {{"roles/owner", {"user:olga@x.org"}, {}},
                                     {"roles/editor", {"user:ed@x.org", "group:eds@x.org"}, {}},
                                     {"roles/viewer", {"user:vic@x.org"}, {}}}};
    rows_.policies["buckets/b"] = {"projects/p", {}};
    rows_.policies["projects/q"] = {"fireweed", {}};
    rows_.groups["eds@x.org"] = {"eds@x.org", {"user:gus@x.org", "group:inner@x.org"}, {}};
    rows_.groups["inner@x.org"] = {"inner@x.org", {"user:ina@x.org", "group:eds@x.org"}, {}};
  }
  void Bind(const std::string& resource, const char* role, const char* member) {
    rows_.policies[resource].bindings.push_back({role, {member}, {}});
  }
  bool May(const net::Caller& caller, std::string_view permission, std::string_view resource) {
    return IsAllowed(rows_, caller, permission, resource);
  }
  TableRows rows_;
};

struct Case {
  const char* who;
  const char* permission;
  const char* resource;
  bool allowed;
};

TEST_F(PermissionCheckTest, BindingsOfAResourceAndItsParentsAddUp) {
  constexpr Case kCases[] = {
      {"root@x.org", "storage.objects.get", "buckets/b", true},
      {"root@x.org", "fireweed.tokens.list", "fireweed", true},
      {"root@x.org", "fireweed.tokens.list", "", true},
      {"olga@x.org", "storage.objects.get", "buckets/b", true},
      {"olga@x.org", "fireweed.tokens.list", "fireweed", false},
      {"olga@x.org", "compute.instances.list", "projects/q", false},
      {"ed@x.org", "storage.objects.create", "buckets/b", true},
      {"ed@x.org", "storage.buckets.setIamPolicy", "buckets/b", false},
      {"vic@x.org", "storage.objects.get", "buckets/b", true},
      {"vic@x.org", "storage.objects.create", "buckets/b", false},
      {"stranger@x.org", "storage.objects.get", "buckets/b", false},
      {"gus@x.org", "storage.objects.create", "buckets/b", true},
      {"ina@x.org", "storage.objects.create", "buckets/b", true},
      {"stranger@x.org", "ml.models.get", "projects/p/models/m", false},
      {"vic@x.org", "ml.models.get", "projects/p/models/m", true},
      {"vic@x.org", "ml.versions.get", "projects/p/models/m/versions/v", true},
      {"stranger@x.org", "storage.objects.get", "buckets/none", true},
      {"stranger@x.org", "ml.models.get", "projects/none/models/m", true},
  };
  for (const Case& c : kCases) {
    EXPECT_EQ(May(User(c.who), c.permission, c.resource), c.allowed)
        << c.who << " " << c.permission << " " << c.resource;
  }
}

TEST_F(PermissionCheckTest, EachKindOfMember) {
  net::Caller nobody;
  Bind("buckets/b", "roles/storage.objectViewer", "allAuthenticatedUsers");
  EXPECT_TRUE(May(User("stranger@y.org"), "storage.objects.get", "buckets/b"));
  EXPECT_FALSE(May(nobody, "storage.objects.get", "buckets/b"));
  Bind("buckets/b", "roles/storage.objectCreator", "domain:y.org");
  EXPECT_TRUE(May(User("stranger@y.org"), "storage.objects.create", "buckets/b"));
  EXPECT_FALSE(May(User("stranger@notmy.org"), "storage.objects.create", "buckets/b"));
  EXPECT_FALSE(May(User("stranger@sub.y.org"), "storage.objects.create", "buckets/b"));
  net::Caller robot{"serviceAccount:r@y.org", "r@y.org", "p", {}};
  EXPECT_FALSE(May(robot, "storage.objects.create", "buckets/b")) << "domains are of users";
  Bind("buckets/b", "roles/storage.objectAdmin", "serviceAccount:r@y.org");
  EXPECT_TRUE(May(robot, "storage.objects.delete", "buckets/b"));
  EXPECT_FALSE(May(User("r@y.org"), "storage.objects.delete", "buckets/b"));
  Bind("buckets/b", "roles/storage.legacyBucketReader", "allUsers");
  EXPECT_TRUE(May(nobody, "storage.objects.list", "buckets/b"));
  EXPECT_FALSE(May(nobody, "storage.objects.delete", "buckets/b"));
}

TEST_F(PermissionCheckTest, ConvenienceMembersAreWhoeverHasTheRoleOnTheProject) {
  rows_.policies["buckets/far"] = {"projects/q", {}};
  Bind("buckets/far", "roles/storage.legacyBucketOwner", "projectEditor:p");
  Bind("buckets/far", "roles/storage.objectViewer", "projectViewer:p");
  EXPECT_TRUE(May(User("ed@x.org"), "storage.buckets.setIamPolicy", "buckets/far"));
  EXPECT_TRUE(May(User("gus@x.org"), "storage.objects.create", "buckets/far"));
  EXPECT_TRUE(May(User("vic@x.org"), "storage.objects.get", "buckets/far"));
  EXPECT_FALSE(May(User("vic@x.org"), "storage.objects.create", "buckets/far"));
  EXPECT_FALSE(May(User("olga@x.org"), "storage.objects.create", "buckets/far"));
  Bind("buckets/far", "roles/storage.admin", "projectOwner:none");
  EXPECT_FALSE(May(User("olga@x.org"), "storage.objects.create", "buckets/far"));
}

TEST_F(PermissionCheckTest, PublicGrantsCountForNobodyWhereTheyArePrevented) {
  Bind("buckets/b", "roles/storage.objectViewer", "allUsers");
  Bind("projects/p", "roles/storage.objectCreator", "allAuthenticatedUsers");
  net::Caller nobody, stranger = User("stranger@x.org");
  EXPECT_TRUE(May(nobody, "storage.objects.get", "buckets/b"));
  EXPECT_TRUE(May(stranger, "storage.objects.create", "buckets/b"));
  rows_.policies["buckets/b"].no_public = true;
  EXPECT_FALSE(May(nobody, "storage.objects.get", "buckets/b"));
  EXPECT_FALSE(May(stranger, "storage.objects.get", "buckets/b"));
  EXPECT_FALSE(May(stranger, "storage.objects.create", "buckets/b")) << "of the parent";
  EXPECT_TRUE(May(User("vic@x.org"), "storage.objects.get", "buckets/b"));
}

TEST_F(PermissionCheckTest, MembersOfAListThatIsNoPolicy) {
  rows_.policies["projects/4711"] = {"projects/p", {}};
  struct Row {
    const char *member, *who;
    bool is;
  };
  for (const Row& row :
       {Row{"user:ann@x.org", "ann@x.org", true}, Row{"user:ann@x.org", "bob@x.org", false},
        Row{"group:eds@x.org", "ina@x.org", true}, Row{"domain:x.org", "bob@x.org", true},
        Row{"projectViewer:p", "vic@x.org", true}, Row{"projectViewer:4711", "vic@x.org", true},
        Row{"projectOwner:4711", "vic@x.org", false},
        Row{"allAuthenticatedUsers", "bob@x.org", true}}) {
    EXPECT_EQ(IsOneOf(rows_, User(row.who), {row.member}, Public::kCounts), row.is)
        << row.member << " " << row.who;
  }
  EXPECT_TRUE(IsOneOf(rows_, {}, {"allUsers"}, Public::kCounts));
  EXPECT_FALSE(IsOneOf(rows_, {}, {"allUsers"}, Public::kNobody));
  EXPECT_FALSE(IsOneOf(rows_, {}, {"allAuthenticatedUsers"}, Public::kCounts));
  EXPECT_FALSE(IsOneOf(rows_, User("bob@x.org"), {}, Public::kCounts));
}

TEST_F(PermissionCheckTest, CirclesEnd) {
  rows_.policies["loops/a"] = {"loops/b", {}};
  rows_.policies["loops/b"] = {"loops/a", {}};
  EXPECT_FALSE(May(User("stranger@x.org"), "storage.objects.get", "loops/a"));
  Bind("projects/p", "roles/viewer", "projectViewer:p");
  EXPECT_FALSE(May(User("stranger@x.org"), "storage.objects.get", "buckets/b"));
}

TEST_F(PermissionCheckTest, ScopesTakeAwayFromRoles) {
  net::Caller limited = User("olga@x.org");
  limited.scopes = {"https://www.googleapis.com/auth/devstorage.read_only"};
  EXPECT_TRUE(May(limited, "storage.objects.get", "buckets/b"));
  EXPECT_FALSE(May(limited, "storage.objects.create", "buckets/b"));
  EXPECT_FALSE(May(limited, "compute.instances.list", "projects/p"));
}

TEST_F(PermissionCheckTest, AnUnknownRoleGrantsNothing) {
  Bind("buckets/b", "roles/bigquery.admin", "user:stranger@x.org");
  EXPECT_FALSE(May(User("stranger@x.org"), "bigquery.tables.get", "buckets/b"));
}

}  // namespace
}  // namespace fireweed::identity
