#include "storage/retention.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "storage/storage_fixture.h"

namespace fireweed::storage {
namespace {

using testing::HasSubstr;
using testing::Not;

class RetentionTest : public testing::Test, protected StorageFixture {
 protected:
  void SetUp() override {
    Send("POST", "/storage/v1/b?project=my-project", R"({"name":"pets"})");
    Upload("pets", "cat", "meow");
  }
  Reply Patch(const std::string& body, const std::string& path = "/storage/v1/b/pets") {
    return Send("PATCH", path, body);
  }
  const std::string cat = "/storage/v1/b/pets/o/cat";
};

TEST_F(RetentionTest, APolicyKeepsObjectsForItsPeriod) {
  EXPECT_THAT(Send("GET", cat).body, Not(HasSubstr("retentionExpirationTime")));
  Reply set = Patch(R"({"retentionPolicy":{"retentionPeriod":"60"}})");
  EXPECT_FALSE(set.Field("effectiveTime").empty());
  EXPECT_FALSE(Send("GET", cat).Field("retentionExpirationTime").empty());
  Reply kept = Send("DELETE", cat);
  EXPECT_EQ(kept.status, 403);
  EXPECT_THAT(kept.body, HasSubstr("retentionPolicyNotMet"));
  EXPECT_THAT(kept.body, HasSubstr("is subject to bucket's retention policy"));
  Reply xml = Send("DELETE", "/pets/cat");
  EXPECT_EQ(xml.status, 403);
  EXPECT_THAT(xml.body, HasSubstr("<Code>RetentionPolicyNotMet</Code>"));
  EXPECT_EQ(Upload("pets", "cat", "purr").status, 403);
  EXPECT_EQ(Read("pets", "cat"), "meow");
  clock.Advance(std::chrono::seconds(61));
  EXPECT_EQ(Send("DELETE", cat).status, 204);
}

TEST_F(RetentionTest, ALockedPolicyOnlyGrows) {
  EXPECT_EQ(Send("POST", "/storage/v1/b/pets/lockRetentionPolicy?ifMetagenerationMatch=1").status,
            400);
  Patch(R"({"retentionPolicy":{"retentionPeriod":"60"}})");
  EXPECT_EQ(Send("POST", "/storage/v1/b/pets/lockRetentionPolicy").status, 400);
  EXPECT_EQ(Send("POST", "/storage/v1/b/pets/lockRetentionPolicy?ifMetagenerationMatch=1").status,
            412);
  Reply locked = Send("POST", "/storage/v1/b/pets/lockRetentionPolicy?ifMetagenerationMatch=2");
  ASSERT_EQ(locked.status, 200) << locked.body;
  EXPECT_THAT(locked.body, HasSubstr(R"("isLocked":true)"));
  Reply shorter = Patch(R"({"retentionPolicy":{"retentionPeriod":"59"}})");
  EXPECT_EQ(shorter.status, 403);
  EXPECT_THAT(shorter.body, HasSubstr("Cannot reduce retention duration of a locked Retention "
                                      "Policy for bucket"));
  Reply removed = Patch(R"({"retentionPolicy":null})");
  EXPECT_EQ(removed.status, 403);
  EXPECT_THAT(removed.body, HasSubstr("has a locked Retention Policy which cannot be removed"));
  Reply longer = Patch(R"({"retentionPolicy":{"retentionPeriod":"61"}})");
  EXPECT_EQ(longer.status, 200);
  EXPECT_THAT(longer.body, HasSubstr(R"("isLocked":true)"));
  // A client cannot unlock it by saying so.
  EXPECT_THAT(Patch(R"({"retentionPolicy":{"retentionPeriod":"61","isLocked":false}})").body,
              HasSubstr(R"("isLocked":true)"));
}

TEST_F(RetentionTest, HoldsKeepAnObject) {
  for (const char* hold : {"temporaryHold", "eventBasedHold"}) {
    std::string name = hold;
    EXPECT_EQ(Patch("{\"" + name + "\":true}", cat).status, 200);
    Reply kept = Send("DELETE", cat);
    EXPECT_EQ(kept.status, 403);
    EXPECT_THAT(kept.body, HasSubstr("objectUnderActiveHold"));
    EXPECT_THAT(Send("DELETE", "/pets/cat").body, HasSubstr("<Code>ObjectUnderActiveHold</Code>"));
    EXPECT_EQ(Upload("pets", "cat", "purr").status, 403);
    EXPECT_EQ(Patch("{\"" + name + "\":false}", cat).status, 200);
  }
  EXPECT_EQ(Send("DELETE", cat).status, 204);
}

TEST_F(RetentionTest, ACopyIsHeldAsItsBodySaysAndNotAsItsSource) {
  const char* asked = R"({"temporaryHold":true,"eventBasedHold":true,"contentType":"q/q"})";
  for (const char* way : {"/rewriteTo", "/copyTo"}) {
    std::string held = "held" + std::string(way).substr(1);
    Reply copied = Send("POST", cat + way + "/b/pets/o/" + held, asked);
    EXPECT_THAT(copied.body, HasSubstr(R"("temporaryHold":true)"));
    EXPECT_THAT(copied.body, HasSubstr(R"("eventBasedHold":true)"));
    std::string path = "/storage/v1/b/pets/o/" + held;
    EXPECT_EQ(Send("DELETE", path).status, 403);
    EXPECT_EQ(Send("POST", path + way + "/b/pets/o/free").status, 200);
    EXPECT_EQ(Send("DELETE", "/storage/v1/b/pets/o/free").status, 204);
  }
}

TEST_F(RetentionTest, TheReleaseOfASourcesHoldIsNotThatOfItsCopy) {
  Patch(R"({"retentionPolicy":{"retentionPeriod":"60"}})");
  Patch(R"({"eventBasedHold":true})", cat);
  Patch(R"({"eventBasedHold":false})", cat);
  clock.Advance(std::chrono::seconds(61));
  Send("POST", cat + "/copyTo/b/pets/o/fresh");
  EXPECT_EQ(Send("DELETE", "/storage/v1/b/pets/o/fresh").status, 403);
}

TEST_F(RetentionTest, ThePeriodRunsFromTheEndOfAnEventBasedHold) {
  Patch(R"({"defaultEventBasedHold":true,"retentionPolicy":{"retentionPeriod":"60"}})");
  Reply dog = Upload("pets", "dog", "woof");
  EXPECT_THAT(dog.body, HasSubstr(R"("eventBasedHold":true)"));
  std::string path = "/storage/v1/b/pets/o/dog";
  clock.Advance(std::chrono::hours(1));
  EXPECT_THAT(Send("GET", path).body, Not(HasSubstr("retentionExpirationTime")));
  Patch(R"({"eventBasedHold":false})", path);
  EXPECT_FALSE(Send("GET", path).Field("retentionExpirationTime").empty());
  EXPECT_THAT(Send("DELETE", path).body, HasSubstr("retentionPolicyNotMet"));
  clock.Advance(std::chrono::seconds(61));
  EXPECT_EQ(Send("DELETE", path).status, 204);
}

TEST_F(RetentionTest, AnArchivedVersionIsKeptToo) {
  Patch(R"({"versioning":{"enabled":true},"retentionPolicy":{"retentionPeriod":"60"}})");
  std::string generation = Send("GET", cat).Field("generation");
  EXPECT_EQ(Send("DELETE", cat).status, 204) << "it stays as an old version";
  EXPECT_EQ(Send("DELETE", cat + "?generation=" + generation).status, 403);
  clock.Advance(std::chrono::seconds(61));
  EXPECT_EQ(Send("DELETE", cat + "?generation=" + generation).status, 204);
}

}  // namespace
}  // namespace fireweed::storage
