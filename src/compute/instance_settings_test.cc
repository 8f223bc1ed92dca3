#include "compute/instance_settings.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "compute/compute_fixture.h"

namespace fireweed::compute {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr const char* kZone = "/compute/v1/projects/p/zones/us-east1-b";

class InstanceSettingsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(all.Ask("POST", At("/instances"), ComputeFixture::InsertBody("vm")).status, 200);
    all.Settle();
  }
  std::string At(const std::string& rest) { return kZone + rest; }
  Reply Do(const std::string& verb, const std::string& body = "{}") {
    return all.Ask("POST", At("/instances/vm/" + verb), body);
  }
  Reply Vm() { return all.Ask("GET", At("/instances/vm")); }
  void Stop() {
    ASSERT_EQ(Do("stop").status, 200);
    all.SettleUntil(all.clock.Now() + std::chrono::minutes(5));
    ASSERT_EQ(Vm().Field("status"), "TERMINATED");
  }
  ComputeFixture all;
};

TEST_F(InstanceSettingsTest, WhatAMachineReadsAtItsBootChangesOnlyWhileItIsStopped) {
  struct Case {
    const char *verb, *body, *shown;
  };
  const std::vector<Case> cases{
      {"setMachineType", R"({"machineType":"zones/us-east1-b/machineTypes/n1-standard-2"})",
       "machineTypes/n1-standard-2"},
      {"setServiceAccount",
       R"({"email":"known@p.iam.gserviceaccount.com","scopes":["https://www.googleapis.com/auth/compute"]})",
       "known@p.iam.gserviceaccount.com"},
      {"setMinCpuPlatform", R"({"minCpuPlatform":"Intel Skylake"})", "Intel Skylake"},
      {"setMachineResources",
       R"({"guestAccelerators":[{"acceleratorType":"nvidia-tesla-k80","acceleratorCount":1}]})",
       "acceleratorTypes/nvidia-tesla-k80"}};
  for (const Case& one : cases) {
    Reply refused = Do(one.verb, one.body);
    EXPECT_EQ(refused.status, 400) << one.verb;
    EXPECT_THAT(refused.body, HasSubstr("while the instance is stopped")) << one.verb;
  }
  Stop();
  for (const Case& one : cases) {
    Reply done = Do(one.verb, one.body);
    EXPECT_EQ(done.Field("status"), "DONE") << one.verb << done.body;
    EXPECT_THAT(Vm().body, HasSubstr(one.shown)) << one.verb;
  }
  EXPECT_EQ(Do("setMachineType", R"({"machineType":"n1-standard-3"})").status, 404);
  EXPECT_EQ(Do("setServiceAccount", R"({"email":"who@x"})").status, 404);
  EXPECT_EQ(Do("setServiceAccount", "{}").status, 200);
  EXPECT_FALSE(Vm().Has("serviceAccounts"));
}

TEST_F(InstanceSettingsTest, DisksAreAttachedAndDetached) {
  ASSERT_EQ(all.Ask("POST", At("/disks"), R"({"name":"data","sizeGb":"20"})").status, 200);
  std::string body =
      R"({"source":"zones/us-east1-b/disks/data","deviceName":"work","autoDelete":false})";
  Stop();
  EXPECT_EQ(Do("attachDisk", R"({"source":"zones/us-east1-b/disks/none"})").status, 404);
  EXPECT_EQ(
      Do("attachDisk", R"({"source":"zones/us-east1-b/disks/data","deviceName":"../x"})").status,
      400);
  EXPECT_FALSE(Vm().Has("disks/data"));  // refused as a whole
  ASSERT_EQ(Do("attachDisk", body).status, 200);
  EXPECT_TRUE(Vm().Has("\"deviceName\":\"work\""));
  EXPECT_THAT(all.Ask("GET", At("/disks/data")).body, HasSubstr("/instances/vm"));
  EXPECT_EQ(Do("attachDisk", body).status, 400);  // taken
  EXPECT_EQ(Do("setDiskAutoDelete?autoDelete=true&deviceName=work").status, 200);
  EXPECT_EQ(Do("setDiskAutoDelete?autoDelete=true&deviceName=none").status, 400);
  EXPECT_EQ(Do("detachDisk?deviceName=persistent-disk-0").status, 400);
  EXPECT_EQ(Do("detachDisk?deviceName=work").status, 200);
  EXPECT_FALSE(Vm().Has("\"deviceName\":\"work\""));
  EXPECT_FALSE(all.Ask("GET", At("/disks/data")).Has("/instances/vm"));
}

TEST_F(InstanceSettingsTest, DisksComeToARunningMachineAndGo) {
  for (const char* name : {"data", "more"}) {
    ASSERT_EQ(all.Ask("POST", At("/disks"), fmt::format(R"({{"name":"{}"}})", name)).status, 200);
  }
  std::string machine = "i-" + Vm().Field("id");
  Reply begun = Do("attachDisk", R"({"source":"zones/us-east1-b/disks/data"})");
  ASSERT_EQ(begun.status, 200) << begun.body;
  EXPECT_NE(begun.Field("status"), "DONE");
  EXPECT_FALSE(Vm().Has("disks/data"));  // seen when it is there
  EXPECT_TRUE(all.Ask("GET", At("/disks/data")).Has("/instances/vm"));
  EXPECT_EQ(Do("attachDisk", R"({"source":"zones/us-east1-b/disks/data"})").status, 400);  // taken
  EXPECT_EQ(Do("attachDisk", R"({"source":"zones/us-east1-b/disks/more"})").status, 200);
  EXPECT_EQ(Do("detachDisk?deviceName=persistent-disk-1").status, 400);  // on its way
  all.Settle();
  Reply done = all.Ask("GET", At("/operations/" + begun.Field("name")));
  EXPECT_EQ(done.Field("status"), "DONE");
  EXPECT_FALSE(done.Has("error")) << done.body;
  EXPECT_THAT(all.fake.MountPoints(machine),
              ElementsAre("/mnt/disks/persistent-disk-1", "/mnt/disks/persistent-disk-2"));
  EXPECT_TRUE(Vm().Has("disks/data"));
  EXPECT_EQ(all.Ask("DELETE", At("/disks/data")).status, 400);
  EXPECT_EQ(Do("detachDisk?deviceName=persistent-disk-0").status, 400);
  EXPECT_EQ(Do("detachDisk?deviceName=persistent-disk-1").status, 200);
  all.Settle();
  EXPECT_THAT(all.fake.MountPoints(machine), ElementsAre("/mnt/disks/persistent-disk-2"));
  EXPECT_FALSE(Vm().Has("disks/data"));
  EXPECT_EQ(all.Ask("DELETE", At("/disks/data")).status, 200);
  // The name that is free again is given again.
  ASSERT_EQ(all.Ask("POST", At("/disks"), R"({"name":"third"})").status, 200);
  EXPECT_EQ(Do("attachDisk", R"({"source":"zones/us-east1-b/disks/third"})").status, 200);
  all.Settle();
  EXPECT_TRUE(Vm().Has("disks/third"));
}

TEST_F(InstanceSettingsTest, ADiskWhoseRecordIsLostEndsItsChangeAndNotTheMachine) {
  ASSERT_EQ(all.Ask("POST", At("/disks"), R"({"name":"data"})").status, 200);
  Reply begun = Do("attachDisk", R"({"source":"zones/us-east1-b/disks/data"})");
  ASSERT_EQ(begun.status, 200) << begun.body;
  all.catalog.Write("lose it", [](Txn& txn) { txn.Erase<DiskRecord>("p/us-east1-b/data"); });
  all.SettleUntil(all.clock.Now() + std::chrono::hours(1));
  Reply ended = all.Ask("GET", At("/operations/" + begun.Field("name")));
  EXPECT_EQ(ended.Field("status"), "DONE");
  EXPECT_TRUE(ended.Has("error")) << ended.body;
  EXPECT_EQ(Vm().Field("status"), "RUNNING");
  EXPECT_FALSE(Vm().Has("disks/data"));
}

TEST_F(InstanceSettingsTest, ADiskThatIsInUseInsideStays) {
  ASSERT_EQ(all.Ask("POST", At("/disks"), R"({"name":"data"})").status, 200);
  ASSERT_EQ(Do("setLabels",
               fmt::format(R"({{"labels":{{"fake_busy-disk":"work"}},"labelFingerprint":"{}"}})",
                           Vm().Field("labelFingerprint")))
                .status,
            200);
  Stop();
  ASSERT_EQ(Do("start").status, 200);
  all.Settle();
  ASSERT_EQ(
      Do("attachDisk", R"({"source":"zones/us-east1-b/disks/data","deviceName":"work"})").status,
      200);
  all.Settle();
  Reply begun = Do("detachDisk?deviceName=work");
  all.Settle();
  Reply failed = all.Ask("GET", At("/operations/" + begun.Field("name")));
  EXPECT_EQ(failed.Field("status"), "DONE");
  EXPECT_THAT(failed.body, HasSubstr("RESOURCE_IN_USE_BY_ANOTHER_RESOURCE"));
  EXPECT_THAT(failed.body, HasSubstr("/mnt/disks/work"));
  EXPECT_TRUE(Vm().Has("disks/data"));
  EXPECT_TRUE(all.Ask("GET", At("/disks/data")).Has("/instances/vm"));
  Stop();  // then nothing is in use
  EXPECT_EQ(Do("detachDisk?deviceName=work").status, 200);
  EXPECT_FALSE(all.Ask("GET", At("/disks/data")).Has("/instances/vm"));
}

TEST_F(InstanceSettingsTest, ADaemonThatDiesOverADiskFinishesIt) {
  ASSERT_EQ(all.Ask("POST", At("/disks"), R"({"name":"data"})").status, 200);
  Reply begun = Do("attachDisk", R"({"source":"zones/us-east1-b/disks/data","deviceName":"work"})");
  all.Restart();
  all.Settle();
  EXPECT_EQ(all.Ask("GET", At("/operations/" + begun.Field("name"))).Field("status"), "DONE");
  EXPECT_THAT(all.fake.MountPoints("i-" + Vm().Field("id")), ElementsAre("/mnt/disks/work"));
  // Deleted while one is on its way out: the disk stays, and is nobody's.
  EXPECT_EQ(Do("detachDisk?deviceName=work").status, 200);
  EXPECT_EQ(all.Ask("DELETE", At("/instances/vm")).status, 200);
  all.SettleUntil(all.clock.Now() + std::chrono::minutes(5));
  EXPECT_EQ(Vm().status, 404);
  EXPECT_FALSE(all.Ask("GET", At("/disks/data")).Has("/instances/vm"));
}

TEST_F(InstanceSettingsTest, ProtectionAndAddresses) {
  EXPECT_EQ(Do("setDeletionProtection?deletionProtection=true").status, 200);
  EXPECT_EQ(all.Ask("DELETE", At("/instances/vm")).status, 400);
  EXPECT_EQ(Do("setDeletionProtection?deletionProtection=false").status, 200);
  EXPECT_EQ(Do("addAccessConfig?networkInterface=nic0", R"({"name":"two"})").status, 400);
  EXPECT_EQ(Do("deleteAccessConfig?networkInterface=nic0&accessConfig=external-nat").status, 200);
  EXPECT_FALSE(Vm().Has("natIP"));
  EXPECT_EQ(Do("addAccessConfig?networkInterface=nic0", R"({"name":"two"})").status, 200);
  EXPECT_EQ(Vm().Field("natIP"), Vm().Field("networkIP"));
  EXPECT_EQ(Do("addAccessConfig?networkInterface=nic7", "{}").status, 400);
}

TEST_F(InstanceSettingsTest, SchedulingIsMergedAndChecked) {
  EXPECT_EQ(Do("setScheduling", R"({"preemptible":false})").status, 400);  // while it runs
  Stop();
  EXPECT_EQ(Do("setScheduling", R"({"preemptible":false})").status, 200);
  EXPECT_THAT(Vm().body, HasSubstr(R"("preemptible":false)"));
}

TEST_F(InstanceSettingsTest, WhatIsNotSupportedSaysSo) {
  EXPECT_EQ(all.Ask("GET", At("/instances/vm/screenshot")).status, 400);
  EXPECT_EQ(all.Ask("PUT", At("/instances/vm"), "{}").status, 400);
  EXPECT_EQ(all.Ask("GET", At("/instances/none/screenshot")).status, 404);
}

TEST_F(InstanceSettingsTest, TheSameRequestIdIsDoneOnce) {
  Stop();
  std::string verb = "setMinCpuPlatform?requestId=11111111-2222-3333-4444-555555555555";
  Reply first = Do(verb, R"({"minCpuPlatform":"Intel Skylake"})");
  Reply second = Do(verb, R"({"minCpuPlatform":"Intel Skylake"})");
  EXPECT_EQ(first.Field("name"), second.Field("name"));
}

}  // namespace
}  // namespace fireweed::compute
