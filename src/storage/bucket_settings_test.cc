#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "storage/storage_fixture.h"

namespace fireweed::storage {
namespace {

using testing::HasSubstr;
using testing::Not;

class BucketSettingsTest : public testing::Test, protected StorageFixture {
 protected:
  Reply Make(const std::string& more) {
    return Send("POST", "/storage/v1/b?project=my-project",
                R"({"name":"b)" + std::to_string(++made_) + "bucket\"," + more + "}");
  }

 private:
  int made_ = 0;
};

TEST_F(BucketSettingsTest, WhatIsWrongIsRefusedAtInsertAndPatch) {
  struct Row {
    const char *setting, *message;
  };
  const Row rows[] = {
      {R"("labels":{"Upper":"x"})", "Invalid label"},
      {R"("labels":{"a":"UPPER"})", "Invalid label"},
      {R"("labels":{"1a":"x"})", "Invalid label"},
      {R"("lifecycle":{"rule":[{"action":{"type":"Add"},"condition":{"age":365}}]})",
       "Invalid lifecycle rule: unknown action 'Add'"},
      {R"("lifecycle":{"rule":[{"action":{"type":"Delete"},"condition":{}}]})",
       "Invalid lifecycle rule"},
      {R"("lifecycle":{"rule":[{"action":{"type":"Delete"},"condition":{"age":-1}}]})",
       "a number is negative"},
      {R"("lifecycle":{"rule":[{"action":{"type":"SetStorageClass"},"condition":{"age":1}}]})",
       "unknown storage class"},
      {R"("lifecycle":{"rule":[{"action":{"type":"Delete"},"condition":{"createdBefore":"soon"}}]})",
       "is no date"},
      {R"("cors":[{"maxAgeSeconds":"long"}])", "maxAgeSeconds"},
      {R"("storageClass":"GOLD")", "Invalid storage class"},
      {R"("iamConfiguration":{"publicAccessPrevention":"invalid_arg"})",
       "invalid_arg is not a valid value"},
      {R"("rpo":"SOON")", "Invalid rpo"},
      {R"("rpo":"ASYNC_TURBO")", "ASYNC_TURBO cannot be enabled on MULTI_REGION bucket"},
      {R"("autoclass":{"enabled":true},"storageClass":"ARCHIVE")",
       "Cannot set default storage class"},
      {R"("retentionPolicy":{"retentionPeriod":"0"})", "Retention period"},
      {R"("retentionPolicy":{"retentionPeriod":"9999999999"})", "Retention period"},
      {R"("acl":[{"entity":"user-a_$$@x.org","role":"READER"}])", "Invalid entity"},
      {R"("acl":[{"entity":"allUsers","role":"CLEANER"}])", "Invalid role"},
  };
  Send("POST", "/storage/v1/b?project=my-project", R"({"name":"pets"})");
  for (const Row& row : rows) {
    Reply made = Make(row.setting);
    EXPECT_EQ(made.status, 400) << row.setting;
    EXPECT_THAT(made.body, HasSubstr(row.message)) << row.setting;
    Reply patched = Send("PATCH", "/storage/v1/b/pets", "{" + std::string(row.setting) + "}");
    EXPECT_EQ(patched.status, 400) << row.setting;
  }
  EXPECT_EQ(Send("GET", "/storage/v1/b/pets").Field("metageneration"), "1");
}

TEST_F(BucketSettingsTest, LabelsHaveSixtyThreeCharacters) {
  auto with = [&](const std::string& key, const std::string& value) {
    return Make(R"("labels":{")" + key + "\":\"" + value + "\"}").status;
  };
  std::string most(63, 'a'), foreign;
  for (int i = 0; i < 63; ++i) foreign += "é";
  EXPECT_EQ(with(most, most), 200);
  EXPECT_EQ(with(most + "a", "x"), 400);
  EXPECT_EQ(with("x", most + "a"), 400);
  EXPECT_EQ(with("x", foreign), 200) << "characters, not bytes";
  EXPECT_EQ(with("x", foreign + "é"), 400);
}

TEST_F(BucketSettingsTest, Places) {
  struct Row {
    const char *setting, *type;
    int status;
  };
  for (
      const Row& row :
      {Row{R"("location":"us-central1")", "region", 200},
       Row{R"("location":"eu")", "multi-region", 200},
       Row{R"("location":"nam4")", "dual-region", 200}, Row{R"("location":"mars-east1")", "", 400},
       Row{R"("location":"us-east1+us-east4")", "dual-region", 200},
       Row{R"("location":"invalid_reg1+invalid_reg2")", "", 400},
       Row{R"("location":"us","customPlacementConfig":{"dataLocations":["us-central1","us-west1"]})",
           "dual-region", 200},
       Row{R"("customPlacementConfig":{"dataLocations":["invalid_reg1","invalid_reg2"]})", "", 400},
       Row{R"("customPlacementConfig":{"dataLocations":["us-east1"]})", "", 400},
       Row{R"("location":"us-east1","rpo":"ASYNC_TURBO")", "", 400},
       Row{R"("location":"nam4","rpo":"ASYNC_TURBO")", "dual-region", 200}}) {
    Reply made = Make(row.setting);
    EXPECT_EQ(made.status, row.status) << row.setting << made.body;
    EXPECT_EQ(made.Field("locationType"), row.type) << row.setting;
  }
  EXPECT_THAT(Make(R"("location":"mars")").body,
              HasSubstr("The specified location constraint is not valid"));
  EXPECT_THAT(Make(R"("location":"us-east1","rpo":"ASYNC_TURBO")").body,
              HasSubstr("ASYNC_TURBO cannot be enabled on REGION bucket"));
  EXPECT_THAT(Make(R"("location":"us-east1+us-east4")").body,
              HasSubstr(R"("dataLocations":["US-EAST1","US-EAST4"])"));
  EXPECT_EQ(Make(R"("location":"nam4")").Field("rpo"), "DEFAULT");
  EXPECT_THAT(Make(R"("location":"us-east1")").body, Not(HasSubstr("rpo")));
}

TEST_F(BucketSettingsTest, EmptySettingsAreAbsent) {
  Reply made = Make(R"("cors":[{}],"labels":{},"lifecycle":{},"website":{},"logging":{})");
  ASSERT_EQ(made.status, 200) << made.body;
  for (const char* name : {"cors", "labels", "lifecycle", "website", "logging"}) {
    EXPECT_THAT(made.body, Not(HasSubstr(name)));
  }
}

TEST_F(BucketSettingsTest, SoftDeleteCanOnlyBeOff) {
  EXPECT_EQ(Make(R"("softDeletePolicy":{"retentionDurationSeconds":"0"})").status, 200);
  Reply on = Make(R"("softDeletePolicy":{"retentionDurationSeconds":"604800"})");
  EXPECT_EQ(on.status, 400);
  EXPECT_THAT(on.body, HasSubstr("Soft delete is not supported"));
  std::string path = "/storage/v1/b/b1bucket";
  EXPECT_EQ(
      Send("PATCH", path, R"({"softDeletePolicy":{"retentionDurationSeconds":"604800"}})").status,
      400);
  EXPECT_EQ(Send("PATCH", path, R"({"softDeletePolicy":null})").status, 200);
}

TEST_F(BucketSettingsTest, AutomaticClassesKeepTheirTimes) {
  Reply made = Make(R"("autoclass":{"enabled":true})");
  EXPECT_THAT(made.body, HasSubstr(R"("terminalStorageClass":"NEARLINE")"));
  std::string toggled = made.Field("toggleTime");
  EXPECT_FALSE(toggled.empty());
  clock.Advance(std::chrono::hours(1));
  EXPECT_EQ(Send("PATCH", "/storage/v1/b/b1bucket", R"({"labels":{"a":"b"}})").Field("toggleTime"),
            toggled);
  EXPECT_NE(Send("PATCH", "/storage/v1/b/b1bucket", R"({"autoclass":{"enabled":false}})")
                .Field("toggleTime"),
            toggled);
}

TEST_F(BucketSettingsTest, MetagenerationIsAConditionEverywhere) {
  Make(R"("labels":{"a":"b"})");
  for (const char* method : {"GET", "PATCH", "PUT", "DELETE"}) {
    EXPECT_EQ(Send(method, "/storage/v1/b/b1bucket?ifMetagenerationMatch=7", "{}").status, 412)
        << method;
  }
  EXPECT_EQ(Send("GET", "/storage/v1/b/b1bucket?ifMetagenerationNotMatch=1").status, 304);
  EXPECT_EQ(Send("PATCH", "/storage/v1/b/b1bucket?ifMetagenerationNotMatch=1", "{}").status, 412);
  EXPECT_EQ(Send("GET", "/storage/v1/b/b1bucket?fields=name").body, R"({"name":"b1bucket"})");
}

TEST_F(BucketSettingsTest, AProjectHasAServiceAccount) {
  Reply reply = Send("GET", "/storage/v1/projects/my-project/serviceAccount");
  EXPECT_EQ(reply.Field("kind"), "storage#serviceAccount");
  EXPECT_THAT(reply.Field("email_address"),
              HasSubstr("@gs-project-accounts.iam.gserviceaccount.com"));
}

}  // namespace
}  // namespace fireweed::storage
