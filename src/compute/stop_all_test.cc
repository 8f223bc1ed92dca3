// Instances and groups after `down --purge` and a new start, on the control plane with the fake driver.
#include "compute/stop_all.h"

#include <gtest/gtest.h>

#include "compute/compute_fixture.h"

namespace fireweed::compute {
namespace {

constexpr const char* kZone = "/compute/v1/projects/p/zones/us-east1-b";

std::string StatusOf(ComputeFixture& all, const std::string& name) {
  return all.Ask("GET", std::string(kZone) + "/instances/" + name).Field("status");
}

// What a purge does: the catalog first, then every machine.
int Purge(ComputeFixture& all) {
  int stopped = Update(all.catalog, "purge", StopAllInstances);
  all.fake.Purge().value();
  all.Restart();
  all.SettleUntil(all.clock.Now() + std::chrono::minutes(10));
  return stopped;
}

TEST(StopAll, InstancesStayStoppedAfterTheNextStart) {
  ComputeFixture all;
  for (const char* name : {"one", "two"}) {
    ASSERT_EQ(all.Ask("POST", std::string(kZone) + "/instances", all.InsertBody(name)).status, 200);
  }
  all.Settle();
  ASSERT_EQ(StatusOf(all, "one"), "RUNNING");
  EXPECT_EQ(Purge(all), 2);
  EXPECT_EQ(StatusOf(all, "one"), "TERMINATED");
  EXPECT_EQ(StatusOf(all, "two"), "TERMINATED");
  EXPECT_TRUE(all.fake.List()->empty());
  EXPECT_EQ(Purge(all), 0) << "twice is once";
  ASSERT_EQ(all.Ask("POST", std::string(kZone) + "/instances/one/start").status, 200);
  all.Settle();
  EXPECT_EQ(StatusOf(all, "one"), "RUNNING") << "a later start works";
}

TEST(StopAll, GroupsStayEmpty) {
  ComputeFixture all;
  std::string body =
      R"({"name":"t","properties":{"machineType":"n1-standard-1","disks":[{"autoDelete":true,"boot":true,)"
      R"("initializeParams":{"sourceImage":"projects/debian-cloud/global/images/family/debian-12"}}],)"
      R"("networkInterfaces":[{"network":"projects/p/global/networks/default"}]}})";
  ASSERT_EQ(all.Ask("POST", "/compute/v1/projects/p/global/instanceTemplates", body).status, 200);
  ASSERT_EQ(all.Ask("POST", std::string(kZone) + "/instanceGroupManagers",
                    R"({"name":"g","baseInstanceName":"w","targetSize":2,)"
                    R"("instanceTemplate":"projects/p/global/instanceTemplates/t"})")
                .status,
            200);
  all.Settle();
  ASSERT_EQ(all.fake.List()->size(), 2u);
  EXPECT_EQ(Purge(all), 2);
  EXPECT_TRUE(all.fake.List()->empty());
  Reply group = all.Ask("GET", std::string(kZone) + "/instanceGroupManagers/g");
  EXPECT_TRUE(group.Has(R"("targetSize":0)")) << group.body;
}

}  // namespace
}  // namespace fireweed::compute
