#include "storage/stored_bytes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "storage/storage_fixture.h"

namespace fireweed::storage {
namespace {

using testing::HasSubstr;

constexpr double kGb = 1 << 30;

class StoredBytesTest : public testing::Test, protected StorageFixture {
 protected:
  StoredBytesTest() { Send("POST", "/storage/v1/b?project=my-project", R"({"name":"pets"})"); }

  void Limit(identity::QuotaLimits limits) {
    options.quotas = std::move(limits);
    Restart();
  }
  static identity::QuotaAmounts Bytes(double bytes) {
    return {{identity::kStorageMetric, bytes / kGb}};
  }
  std::string Delete(const std::string& name) {
    return std::to_string(Send("DELETE", "/storage/v1/b/pets/o/" + name).status);
  }
};

TEST_F(StoredBytesTest, AnUploadOverTheProjectsLimitIsRefusedAndLeavesNothing) {
  Limit({.project = Bytes(100)});
  EXPECT_EQ(Upload("pets", "a", std::string(60, 'x')).status, 200);
  Reply refused = Upload("pets", "b", std::string(41, 'x'));
  EXPECT_EQ(refused.status, 403);
  EXPECT_THAT(refused.body, HasSubstr(R"("reason":"quotaExceeded")"));
  EXPECT_THAT(refused.body, HasSubstr("for project my-project"));
  EXPECT_EQ(Send("GET", "/storage/v1/b/pets/o/b").status, 404);
  EXPECT_EQ(Upload("pets", "b", std::string(40, 'x')).status, 200);
  // Another bucket of the project does not help.
  Send("POST", "/storage/v1/b?project=my-project", R"({"name":"more"})");
  EXPECT_EQ(Upload("more", "c", "x").status, 403);
}

TEST_F(StoredBytesTest, ReplacingAndDeletingGiveBytesBack) {
  Limit({.project = Bytes(100)});
  Upload("pets", "a", std::string(100, 'x'));
  EXPECT_EQ(Upload("pets", "a", std::string(100, 'y')).status, 200);
  EXPECT_EQ(Upload("pets", "b", "x").status, 403);
  EXPECT_EQ(Delete("a"), "204");
  EXPECT_EQ(Upload("pets", "b", std::string(100, 'x')).status, 200);
}

TEST_F(StoredBytesTest, OldVersionsAndCopiesCount) {
  Limit({.project = Bytes(100)});
  Send("PATCH", "/storage/v1/b/pets", R"({"versioning":{"enabled":true}})");
  Upload("pets", "a", std::string(40, 'x'));
  Upload("pets", "a", std::string(40, 'y'));
  EXPECT_EQ(Upload("pets", "a", std::string(40, 'z')).status, 403);
  EXPECT_EQ(Send("POST", "/storage/v1/b/pets/o/a/copyTo/b/pets/o/b").status, 403);
}

TEST_F(StoredBytesTest, EachUserHasALimitOverAllProjects) {
  identity::QuotaLimits limits{.user = Bytes(50)};
  Limit(limits);
  Send("POST", "/storage/v1/b?project=second-project", R"({"name":"second"})");
  EXPECT_EQ(Upload("pets", "a", std::string(30, 'x')).status, 200);
  Reply refused = Upload("second", "a", std::string(30, 'x'));
  EXPECT_EQ(refused.status, 403);
  EXPECT_THAT(refused.body, HasSubstr("for user "));
}

TEST_F(StoredBytesTest, ObjectsFromBeforeTheLimitCountFromTheStart) {
  Upload("pets", "a", std::string(90, 'x'));
  Limit({.project = Bytes(100)});
  EXPECT_EQ(Upload("pets", "b", std::string(11, 'x')).status, 403);
  Limit({});
  Upload("pets", "b", std::string(500, 'x'));
  Limit({.project = Bytes(600)});
  EXPECT_EQ(Upload("pets", "c", std::string(11, 'x')).status, 403);
  EXPECT_EQ(Upload("pets", "c", std::string(10, 'x')).status, 200);
}

TEST_F(StoredBytesTest, OneProjectMayHaveAnotherLimit) {
  Limit({.project = Bytes(10), .projects = {{"my-project", Bytes(100)}}});
  EXPECT_EQ(Upload("pets", "a", std::string(90, 'x')).status, 200);
}

TEST_F(StoredBytesTest, AResumableUploadThatIsTooLargeIsRefusedAtItsStart) {
  Limit({.project = Bytes(100)});
  Reply refused = Send("POST", "/upload/storage/v1/b/pets/o?uploadType=resumable&name=a", "",
                       {{"X-Upload-Content-Length", "101"}});
  EXPECT_EQ(refused.status, 403) << refused.body;
  EXPECT_THAT(refused.body, HasSubstr("quotaExceeded"));
}

TEST_F(StoredBytesTest, TheXmlApiHasItsOwnCode) {
  Limit({.project = Bytes(10)});
  Reply refused = Send("PUT", "/pets/a", std::string(11, 'x'));
  EXPECT_EQ(refused.status, 403);
  EXPECT_THAT(refused.body, HasSubstr("<Code>InsufficientQuota</Code>"));
}

}  // namespace
}  // namespace fireweed::storage
