#include "identity/roles.h"

#include <set>

#include <gtest/gtest.h>

namespace fireweed::identity {
namespace {

struct RoleCase {
  std::string_view role, permission;
  bool granted;
};

// What people rely on, one line each.
constexpr RoleCase kCases[] = {
    {"roles/owner", "resourcemanager.projects.setIamPolicy", true},
    {"roles/owner", "anything.at.all", true},
    {"roles/editor", "compute.instances.create", true},
    {"roles/editor", "storage.objects.delete", true},
    {"roles/editor", "iam.serviceAccounts.actAs", true},
    {"roles/editor", "ml.jobs.create", true},
    {"roles/editor", "resourcemanager.projects.setIamPolicy", false},
    {"roles/editor", "storage.buckets.setIamPolicy", false},
    {"roles/editor", "resourcemanager.projects.delete", false},
    {"roles/editor", "iam.serviceAccounts.getAccessToken", false},
    {"roles/editor", "fireweed.tokens.create", false},
    {"roles/viewer", "compute.instances.get", true},
    {"roles/viewer", "compute.instances.getSerialPortOutput", true},
    {"roles/viewer", "storage.objects.list", true},
    {"roles/viewer", "logging.logEntries.list", true},
    {"roles/viewer", "logging.privateLogEntries.list", false},
    {"roles/viewer", "compute.instances.create", false},
    {"roles/viewer", "iam.serviceAccounts.getAccessToken", false},
    {"roles/viewer", "fireweed.tokens.list", false},
    {"roles/storage.admin", "storage.buckets.delete", true},
    {"roles/storage.admin", "compute.instances.get", false},
    {"roles/storage.objectAdmin", "storage.objects.setIamPolicy", true},
    {"roles/storage.objectAdmin", "storage.buckets.get", false},
    {"roles/storage.objectUser", "storage.objects.update", true},
    {"roles/storage.objectUser", "storage.objects.setIamPolicy", false},
    {"roles/storage.objectCreator", "storage.objects.create", true},
    {"roles/storage.objectCreator", "storage.objects.get", false},
    {"roles/storage.objectCreator", "storage.objects.delete", false},
    {"roles/storage.objectViewer", "storage.objects.get", true},
    {"roles/storage.objectViewer", "storage.objects.create", false},
    {"roles/storage.legacyBucketReader", "storage.objects.list", true},
    {"roles/storage.legacyBucketReader", "storage.objects.get", false},
    {"roles/storage.legacyBucketOwner", "storage.buckets.setIamPolicy", true},
    {"roles/compute.instanceAdmin.v1", "compute.instances.delete", true},
    {"roles/compute.instanceAdmin.v1", "compute.zoneOperations.get", true},
    {"roles/compute.instanceAdmin.v1", "compute.firewalls.create", false},
    {"roles/compute.viewer", "compute.instances.list", true},
    {"roles/compute.viewer", "compute.instances.start", false},
    {"roles/ml.developer", "ml.jobs.create", true},
    {"roles/ml.developer", "ml.jobs.cancel", false},
    {"roles/ml.modelUser", "ml.versions.predict", true},
    {"roles/logging.logWriter", "logging.logEntries.create", true},
    {"roles/logging.logWriter", "logging.logEntries.list", false},
    {"roles/logging.viewer", "logging.privateLogEntries.list", false},
    {"roles/logging.privateLogViewer", "logging.privateLogEntries.list", true},
    {"roles/iam.serviceAccountTokenCreator", "iam.serviceAccounts.signBlob", true},
    {"roles/iam.serviceAccountUser", "iam.serviceAccounts.signBlob", false},
    {"roles/iam.serviceAccountKeyAdmin", "iam.serviceAccountKeys.create", true},
};

TEST(Roles, GrantWhatTheyShould) {
  for (const RoleCase& c : kCases) {
    const Role* role = FindRole(c.role);
    ASSERT_TRUE(role) << c.role;
    EXPECT_EQ(role->Grants(c.permission), c.granted) << c.role << " " << c.permission;
  }
}

TEST(Roles, HaveNamesOfTheirOwn) {
  std::set<std::string_view> names;
  for (const Role& role : AllRoles()) {
    EXPECT_TRUE(names.insert(role.name).second) << role.name;
    EXPECT_TRUE(role.name.starts_with("roles/")) << role.name;
    EXPECT_FALSE(role.title.empty() || role.description.empty() || role.grants.empty())
        << role.name;
  }
}

TEST(Roles, OnlyRolesOfServicesWeLackMayBeUnknown) {
  EXPECT_TRUE(MayBeBound("roles/owner"));
  EXPECT_TRUE(MayBeBound("roles/bigquery.dataViewer"));
  EXPECT_FALSE(MayBeBound("roles/storage.objectVeiwer")) << "a slip of the pen";
  for (const char* bad : {"", "owner", "roles/", "roles/emperor", "roles/.x", "roles/x.",
                          "projects/p/roles/custom"}) {
    EXPECT_FALSE(MayBeBound(bad)) << bad;
  }
}

TEST(Patterns, StarTakesAnyRun) {
  EXPECT_TRUE(MatchesPattern("*", ""));
  EXPECT_TRUE(MatchesPattern("a.*.c", "a.b.b.c"));
  EXPECT_TRUE(MatchesPattern("*.get", "compute.instances.get"));
  EXPECT_TRUE(MatchesPattern("a*a*a", "aXaaYa"));
  EXPECT_FALSE(MatchesPattern("*.get", "compute.instances.getIamPolicy"));
  EXPECT_FALSE(MatchesPattern("a.*", "a"));
  EXPECT_FALSE(MatchesPattern("", "a"));
  EXPECT_FALSE(MatchesPattern("a*b", "ac"));
}

TEST(Scopes, LimitWhatTheyShould) {
  auto allow = [](std::string_view scope, std::string_view permission) {
    return ScopesAllow({"https://www.googleapis.com/auth/" + std::string(scope)}, permission);
  };
  EXPECT_TRUE(ScopesAllow({}, "compute.instances.create"));
  EXPECT_TRUE(allow("cloud-platform", "compute.instances.create"));
  EXPECT_TRUE(allow("devstorage.read_write", "storage.objects.create"));
  EXPECT_FALSE(allow("devstorage.read_write", "storage.buckets.setIamPolicy"));
  EXPECT_TRUE(allow("devstorage.full_control", "storage.buckets.setIamPolicy"));
  EXPECT_TRUE(allow("devstorage.read_only", "storage.objects.get"));
  EXPECT_FALSE(allow("devstorage.read_only", "storage.objects.delete"));
  EXPECT_TRUE(allow("compute.readonly", "compute.instances.list"));
  EXPECT_FALSE(allow("compute.readonly", "compute.instances.stop"));
  EXPECT_TRUE(allow("logging.write", "logging.logEntries.create"));
  EXPECT_FALSE(allow("bigquery", "storage.objects.get"));
  EXPECT_FALSE(ScopesAllow({"openid", "cloud-platform"}, "storage.objects.get"));
}

}  // namespace
}  // namespace fireweed::identity
