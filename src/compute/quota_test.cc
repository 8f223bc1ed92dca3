#include "compute/quota.h"

#include <tuple>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "compute/compute_fixture.h"

namespace fireweed::compute {
namespace {

using ::testing::HasSubstr;

constexpr const char* kInstances = "/compute/v1/projects/p/zones/us-east1-b/instances";
constexpr const char* kRegion = "/compute/v1/projects/p/regions/us-east1";

class QuotaTest : public ::testing::Test {
 protected:
  void Limit(std::map<std::string, double> limits) {
    all.quotas = {std::move(limits)};
    all.Restart();
  }
  Reply Insert(const std::string& name) {
    return all.Ask("POST", kInstances, ComputeFixture::InsertBody(name));
  }
  ComputeFixture all;
};

TEST_F(QuotaTest, WhatIsOverTheLimitIsRefusedInTheOperation) {
  Limit({{"CPUS", 2}});
  EXPECT_FALSE(Insert("a").Has("QUOTA_EXCEEDED"));
  EXPECT_FALSE(Insert("b").Has("QUOTA_EXCEEDED"));
  Reply refused = Insert("c");
  EXPECT_EQ(refused.status, 200);
  EXPECT_EQ(refused.Field("status"), "DONE");
  EXPECT_EQ(refused.Field("httpErrorStatusCode"), "403");
  EXPECT_THAT(refused.body, HasSubstr("Quota 'CPUS' exceeded.  Limit: 2.0 globally."));
  EXPECT_EQ(all.Ask("GET", fmt::format("{}{}", kInstances, "/c")).status, 404);
  EXPECT_EQ(all.Ask("GET", "/compute/v1/projects/p/zones/us-east1-b/disks/c").status, 404);
  // A stopped instance holds no CPUs.
  all.Settle();
  all.Ask("POST", fmt::format("{}{}", kInstances, "/a/stop"));
  all.SettleUntil(all.clock.Now() + std::chrono::minutes(5));
  EXPECT_FALSE(Insert("c").Has("QUOTA_EXCEEDED"));
}

TEST_F(QuotaTest, PreemptibleInstancesHaveTheirOwnWhereThatIsLimited) {
  Limit({{"CPUS", 0}, {"PREEMPTIBLE_CPUS", 1}});  // the fixture's instances are preemptible
  EXPECT_FALSE(Insert("a").Has("QUOTA_EXCEEDED"));
  EXPECT_THAT(Insert("b").body, HasSubstr("Quota 'PREEMPTIBLE_CPUS' exceeded"));
}

TEST_F(QuotaTest, DisksAndGpusAreCounted) {
  Limit({{"DISKS_TOTAL_GB", 15}});
  EXPECT_FALSE(Insert("a").Has("QUOTA_EXCEEDED"));
  EXPECT_THAT(Insert("b").body, HasSubstr("DISKS_TOTAL_GB"));
  Limit({{"NVIDIA_K80_GPUS", 1}});
  std::string body = ComputeFixture::InsertBody("gpu");
  body.insert(
      1, R"("guestAccelerators":[{"acceleratorType":"nvidia-tesla-k80","acceleratorCount":2}],)");
  EXPECT_THAT(all.Ask("POST", kInstances, body).body, HasSubstr("NVIDIA_K80_GPUS"));
}

TEST_F(QuotaTest, AMachineThatIsStartedOrResumedNeedsItsCpusAgain) {
  Limit({{"CPUS", 1}});
  for (auto [name, off, on] :
       {std::tuple{"a", "stop", "start"}, std::tuple{"b", "suspend", "resume"}}) {
    std::string instance = fmt::format("{}/{}", kInstances, name);
    EXPECT_FALSE(Insert(name).Has("QUOTA_EXCEEDED"));
    all.Settle();
    all.Ask("POST", instance + "/" + off);
    all.SettleUntil(all.clock.Now() + std::chrono::minutes(5));
    EXPECT_FALSE(Insert("other").Has("QUOTA_EXCEEDED"));
    all.Settle();
    std::string status = all.Ask("GET", instance).Field("status");
    Reply refused = all.Ask("POST", instance + "/" + on);
    EXPECT_EQ(refused.Field("status"), "DONE");
    EXPECT_THAT(refused.body, HasSubstr("Quota 'CPUS' exceeded.  Limit: 1.0 globally."));
    all.Settle();
    EXPECT_EQ(all.Ask("GET", instance).Field("status"), status) << on;
    all.Ask("DELETE", fmt::format("{}/other", kInstances));
    all.SettleUntil(all.clock.Now() + std::chrono::minutes(5));
    EXPECT_FALSE(all.Ask("POST", instance + "/" + on).Has("QUOTA_EXCEEDED"));
    all.Settle();
    EXPECT_EQ(all.Ask("GET", instance).Field("status"), "RUNNING") << on;
    all.Ask("DELETE", instance);
    all.SettleUntil(all.clock.Now() + std::chrono::minutes(5));
  }
}

TEST_F(QuotaTest, DisksOfTheirOwnAreCountedWhenTheyAreMadeAndWhenTheyGrow) {
  constexpr const char* kDisks = "/compute/v1/projects/p/zones/us-east1-b/disks";
  Limit({{"DISKS_TOTAL_GB", 100}});
  EXPECT_FALSE(all.Ask("POST", kDisks, R"({"name":"a","sizeGb":"60"})").Has("QUOTA_EXCEEDED"));
  Reply refused = all.Ask("POST", kDisks, R"({"name":"b","sizeGb":"41"})");
  EXPECT_EQ(refused.status, 200);
  EXPECT_EQ(refused.Field("status"), "DONE");
  EXPECT_THAT(refused.body, HasSubstr("Quota 'DISKS_TOTAL_GB' exceeded.  Limit: 100.0"));
  EXPECT_EQ(all.Ask("GET", fmt::format("{}/b", kDisks)).status, 404);
  std::string resize = fmt::format("{}/a/resize", kDisks);
  EXPECT_THAT(all.Ask("POST", resize, R"({"sizeGb":"101"})").body, HasSubstr("QUOTA_EXCEEDED"));
  EXPECT_EQ(all.Ask("GET", fmt::format("{}/a", kDisks)).Field("sizeGb"), "60");
  EXPECT_FALSE(all.Ask("POST", resize, R"({"sizeGb":"100"})").Has("QUOTA_EXCEEDED"));
  EXPECT_EQ(all.Ask("GET", fmt::format("{}/a", kDisks)).Field("sizeGb"), "100");
}

TEST_F(QuotaTest, AnotherRegionIsTheSameHost) {
  Limit({{"CPUS", 1}});
  EXPECT_FALSE(Insert("a").Has("QUOTA_EXCEEDED"));
  std::string body = ComputeFixture::InsertBody("b");
  body.replace(body.find("us-east1-b"), 10, "europe-west1-b");
  Reply refused = all.Ask("POST", "/compute/v1/projects/p/zones/europe-west1-b/instances", body);
  EXPECT_THAT(refused.body, HasSubstr("Quota 'CPUS' exceeded.  Limit: 1.0 globally."));
  EXPECT_THAT(all.Ask("GET", "/compute/v1/projects/p/regions/europe-west1").body,
              HasSubstr(R"("metric":"CPUS","limit":1,"usage":1)"));
  EXPECT_THAT(all.Ask("GET", "/compute/v1/projects/p").body,
              HasSubstr(R"("metric":"CPUS","limit":1,"usage":1)"));
}

TEST_F(QuotaTest, AUserIsHeldToTheirOwnLimitInEveryProject) {
  all.quotas.user = {{"CPUS", 1}};
  all.quotas.users["bea@example.com"] = {{"CPUS", 2}};
  all.Restart();
  auto insert = [&](const char* project, const char* name, const char* who) {
    std::string path = fmt::format("/compute/v1/projects/{}/zones/us-east1-b/instances", project);
    std::string body = ComputeFixture::InsertBody(name), network = "projects/p/global/networks";
    body.replace(body.find(network) + 9, 1, project);
    return all.Ask("POST", path, body, who);
  };
  EXPECT_FALSE(insert("p", "a", "Bearer ann@example.com").Has("QUOTA_EXCEEDED"));
  EXPECT_THAT(insert("q", "a", "Bearer ann@example.com").body,
              HasSubstr("Quota 'CPUS' exceeded for user ann@example.com.  Limit: 1.0 globally."));
  EXPECT_FALSE(insert("p", "b", "Bearer bea@example.com").Has("QUOTA_EXCEEDED"));
  EXPECT_FALSE(insert("p", "c", "Bearer bea@example.com").Has("QUOTA_EXCEEDED"));
  EXPECT_TRUE(insert("p", "d", "Bearer bea@example.com").Has("QUOTA_EXCEEDED"));
}

TEST_F(QuotaTest, MemoryIsCounted) {
  Limit({{"MEMORY_GB", 4}});  // n1-standard-1 has 3.75
  EXPECT_FALSE(Insert("a").Has("QUOTA_EXCEEDED"));
  EXPECT_THAT(Insert("b").body, HasSubstr("MEMORY_GB"));
}

TEST_F(QuotaTest, AcceleratorsOfAllTypesHaveOneLimit) {
  Limit({{"GPUS_ALL_REGIONS", 1}});
  std::string body = ComputeFixture::InsertBody("gpu");
  body.insert(
      1, R"("guestAccelerators":[{"acceleratorType":"nvidia-tesla-k80","acceleratorCount":2}],)");
  EXPECT_THAT(all.Ask("POST", kInstances, body).body, HasSubstr("GPUS_ALL_REGIONS"));
}

TEST_F(QuotaTest, RegionsShowLimitAndUse) {
  Limit({{"INSTANCES", 7}});
  Insert("a");
  Reply region = all.Ask("GET", kRegion);
  EXPECT_THAT(region.body, HasSubstr(R"("metric":"INSTANCES","limit":7)"));
  EXPECT_THAT(region.body, HasSubstr(R"("metric":"CPUS")"));
  EXPECT_TRUE(all.Ask("GET", "/compute/v1/projects/p/regions").Has("\"quotas\""));
}

}  // namespace
}  // namespace fireweed::compute
