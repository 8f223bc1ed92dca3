// The host's accelerators from the request to the machine: who gets them, who does not, and when they are free again.
#include "compute/cards.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "compute/compute_fixture.h"
#include "compute/instance_metrics.h"

namespace fireweed::compute {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr const char* kZone = "/compute/v1/projects/p/zones/us-east1-b";

class CardsTest : public ::testing::Test {
 protected:
  CardsTest() {
    all_.cards = {{.type = "nvidia-tesla-t4", .devices = {"/dev/t4-0"}},
                  {.type = "nvidia-tesla-t4", .devices = {"/dev/t4-1"}},
                  {.type = "nvidia-l4", .devices = {"/dev/l4-0"}},
                  {.type = "amd-mi300x", .devices = {"/dev/dri/renderD128", "/dev/kfd"}}};
    all_.Restart();
  }

  // The ended operation of an insert.
  Reply Insert(const std::string& name, const std::string& type, int count,
               const std::string& labels = "{}") {
    std::string body = ComputeFixture::InsertBody(name, labels);
    body.insert(1, R"("guestAccelerators":[{"acceleratorType":"projects/p/zones/us-east1-b/)"
                   R"(acceleratorTypes/)" +
                       type + R"(","acceleratorCount":)" + std::to_string(count) + "}],");
    return Ended(all_.Ask("POST", std::string(kZone) + "/instances", body));
  }
  Reply Verb(const std::string& name, const std::string& verb) {
    return Ended(all_.Ask("POST", std::string(kZone) + "/instances/" + name + "/" + verb));
  }
  Reply Ended(const Reply& operation) {
    EXPECT_EQ(operation.status, 200) << operation.body;
    all_.SettleUntil(all_.clock.Now() + minutes(2));
    return all_.Ask("GET", std::string(kZone) + "/operations/" + operation.Field("name"));
  }
  std::string Status(const std::string& name) {
    Reply reply = all_.Ask("GET", std::string(kZone) + "/instances/" + name);
    return reply.status == 200 ? reply.Field("status") : std::to_string(reply.status);
  }
  std::vector<std::string> Held(const std::string& name) {
    return Query(all_.catalog, [&](Txn& t) {
      return t.Find<InstanceRecord>("p/us-east1-b/" + name)->value.cards;
    });
  }

  ComputeFixture all_;
};

TEST_F(CardsTest, BelongToOneInstanceUntilItEnds) {
  EXPECT_FALSE(Insert("a", "nvidia-tesla-t4", 1).Has("error"));
  EXPECT_FALSE(Insert("b", "nvidia-tesla-t4", 1).Has("error"));
  EXPECT_THAT(all_.fake.LentDevices(), ElementsAre("/dev/t4-0", "/dev/t4-1"));

  Reply refused = Insert("c", "nvidia-tesla-t4", 1);
  EXPECT_EQ(refused.Field("status"), "DONE");
  EXPECT_THAT(refused.body, HasSubstr(R"("code":"ZONE_RESOURCE_POOL_EXHAUSTED")"));
  EXPECT_THAT(refused.body, HasSubstr("The zone 'projects/p/zones/us-east1-b' does not have"));
  EXPECT_EQ(Status("c"), "404");

  // Stopped instances hold none, and get what is free when they start again.
  EXPECT_FALSE(Verb("a", "stop").Has("error"));
  EXPECT_THAT(Held("a"), IsEmpty());
  EXPECT_FALSE(Insert("c", "nvidia-tesla-t4", 1).Has("error"));
  EXPECT_THAT(Held("c"), ElementsAre("/dev/t4-0"));
  EXPECT_THAT(Verb("a", "start").body, HasSubstr("ZONE_RESOURCE_POOL_EXHAUSTED"));
  EXPECT_EQ(Status("a"), "TERMINATED");
  Ended(all_.Ask("DELETE", std::string(kZone) + "/instances/b"));
  EXPECT_FALSE(Verb("a", "start").Has("error"));
  EXPECT_THAT(Held("a"), ElementsAre("/dev/t4-1"));
}

TEST_F(CardsTest, AreKeptOverRestartsResetsAndReboots) {
  Insert("a", "nvidia-tesla-t4", 2, R"({"fake_run-seconds":"30","fake_exit":"reboot"})");
  all_.Restart();
  EXPECT_THAT(Insert("b", "nvidia-tesla-t4", 1).body, HasSubstr("ZONE_RESOURCE_POOL_EXHAUSTED"));
  EXPECT_FALSE(Verb("a", "reset").Has("error"));
  EXPECT_THAT(Held("a"), ElementsAre("/dev/t4-0", "/dev/t4-1"));
  EXPECT_THAT(all_.fake.LentDevices(), ElementsAre("/dev/t4-0", "/dev/t4-1"));
  EXPECT_FALSE(Verb("a", "suspend").Has("error"));
  EXPECT_THAT(Insert("b", "nvidia-tesla-t4", 1).body, HasSubstr("ZONE_RESOURCE_POOL_EXHAUSTED"));
}

TEST_F(CardsTest, OfAMachineThatPoweredItselfOffAreFree) {
  Insert("a", "nvidia-tesla-t4", 2, R"({"fake_run-seconds":"30"})");
  all_.SettleUntil(all_.clock.Now() + minutes(5));
  EXPECT_EQ(Status("a"), "TERMINATED");
  EXPECT_FALSE(Insert("b", "nvidia-tesla-t4", 2).Has("error"));
}

TEST_F(CardsTest, ThatTheHostDoesNotHaveAreDoneWithout) {
  EXPECT_FALSE(Insert("a", "nvidia-tesla-k80", 4).Has("error"));
  EXPECT_EQ(Status("a"), "RUNNING");
  EXPECT_THAT(all_.fake.LentDevices(), IsEmpty());
  EXPECT_FALSE(Insert("b", "amd-mi300x", 8).Has("error"));
  EXPECT_THAT(all_.fake.LentDevices(), ElementsAre("/dev/dri/renderD128", "/dev/kfd"));
}

TEST_F(CardsTest, ComeWithSomeMachineTypes) {
  std::string instance = std::string(kZone) + "/instances/a";
  auto body = [](const std::string& more) {
    std::string text = ComputeFixture::InsertBody("a");
    text.replace(text.find("n1-standard-1"), 13, "g2-standard-4");
    return text.insert(1, more);
  };
  Reply refused = all_.Ask(
      "POST", std::string(kZone) + "/instances",
      body(R"("guestAccelerators":[{"acceleratorType":"nvidia-tesla-t4","acceleratorCount":1}],)"));
  EXPECT_EQ(refused.status, 400);
  EXPECT_THAT(refused.body, HasSubstr("comes with 1 x nvidia-l4"));
  EXPECT_FALSE(Ended(all_.Ask("POST", std::string(kZone) + "/instances", body(""))).Has("error"));
  EXPECT_THAT(Held("a"), ElementsAre("/dev/l4-0"));
  Reply shown = all_.Ask("GET", instance);
  EXPECT_THAT(shown.body, HasSubstr("us-east1-b/acceleratorTypes/nvidia-l4"));
  EXPECT_THAT(shown.body, HasSubstr(R"("onHostMaintenance":"TERMINATE")"));
  // They go with the type.
  Verb("a", "stop");
  all_.Ask("POST", instance + "/setMachineType",
           R"({"machineType":"zones/us-east1-b/machineTypes/n1-standard-2"})");
  EXPECT_FALSE(all_.Ask("GET", instance).Has("guestAccelerators"));
  EXPECT_THAT(all_.Ask("GET", std::string(kZone) + "/machineTypes/a2-highgpu-2g").body,
              HasSubstr(R"("guestAcceleratorType":"nvidia-tesla-a100","guestAcceleratorCount":2)"));
}

TEST_F(CardsTest, AreWaitedForByAGroup) {
  Insert("a", "nvidia-tesla-t4", 2);
  all_.Ask("POST", "/compute/v1/projects/p/global/instanceTemplates",
           R"({"name":"t","properties":{"machineType":"n1-standard-1","disks":[{"autoDelete":true,)"
           R"("boot":true,"initializeParams":{"sourceImage":"projects/debian-cloud/global/images/)"
           R"(family/debian-12"}}],"networkInterfaces":[{"network":"global/networks/default"}],)"
           R"("guestAccelerators":[{"acceleratorCount":1,"acceleratorType":"nvidia-tesla-t4"}]}})");
  Reply made = all_.Ask("POST", std::string(kZone) + "/instanceGroupManagers",
                        R"({"name":"g","baseInstanceName":"w","targetSize":1,)"
                        R"("instanceTemplate":"projects/p/global/instanceTemplates/t"})");
  ASSERT_EQ(made.status, 200) << made.body;
  all_.SettleUntil(all_.clock.Now() + minutes(3));
  std::string members = std::string(kZone) + "/instanceGroupManagers/g/listManagedInstances";
  EXPECT_THAT(all_.Ask("POST", members).body, HasSubstr("ZONE_RESOURCE_POOL_EXHAUSTED"));
  Verb("a", "stop");
  all_.SettleUntil(all_.clock.Now() + minutes(10));
  EXPECT_THAT(all_.Ask("POST", members).body, HasSubstr(R"("instanceStatus":"RUNNING")"));
  EXPECT_THAT(all_.fake.LentDevices(), ElementsAre("/dev/t4-0"));
}

TEST_F(CardsTest, ArePointedOutToPlainProcesses) {
  MachineSpec with, without;
  std::vector<HostCard> host{{.type = "nvidia-l4", .devices = {"/dev/nvidia7"}, .uuid = "GPU-7"},
                             {.type = "nvidia-l4", .devices = {"/dev/nvidia8"}}};
  LendCards(with, {"/dev/nvidia7", "/dev/nvidia8"}, host, false);
  LendCards(without, {}, host, false);
  EXPECT_EQ(with.environment["CUDA_VISIBLE_DEVICES"], "GPU-7,8");
  EXPECT_EQ(without.environment.at("CUDA_VISIBLE_DEVICES"), "");
  EXPECT_THAT(with.cards.devices, IsEmpty());
}

TEST_F(CardsTest, AreCountedForOperators) {
  Insert("t1", "nvidia-tesla-t4", 1);
  std::vector<Metric> metrics;
  CollectInstanceMetrics(all_.catalog, all_.cards, metrics);
  std::map<std::string, double> values;
  for (const Metric& metric : metrics) values[metric.name + " " + metric.labels] = metric.value;
  EXPECT_EQ(values.at("fireweed_instances status=\"RUNNING\""), 1);
  EXPECT_EQ(values.at("fireweed_instances status=\"TERMINATED\""), 0);
  EXPECT_EQ(values.at("fireweed_accelerators type=\"nvidia-tesla-t4\",state=\"lent\""), 1);
  EXPECT_EQ(values.at("fireweed_accelerators type=\"nvidia-tesla-t4\",state=\"free\""), 1);
  EXPECT_EQ(values.at("fireweed_accelerators type=\"nvidia-l4\",state=\"lent\""), 0);
}

}  // namespace
}  // namespace fireweed::compute
