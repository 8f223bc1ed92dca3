// Suspension, preemption, maintenance and limited time, from the request to the end of the operation, with a restart of
// the control plane wherever it could hurt.
#include <gtest/gtest.h>

#include "compute/compute_fixture.h"

namespace fireweed::compute {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;

constexpr const char* kZone = "/compute/v1/projects/p/zones/us-east1-b";

class InstanceLifeTest : public ::testing::Test {
 protected:
  // An instance with these rules, up.
  void Boot(const std::string& scheduling, const std::string& labels = "{}") {
    std::string body = ComputeFixture::InsertBody("vm", labels);
    const std::string standard = R"({"automaticRestart":false,"preemptible":true})";
    body.replace(body.find(standard), standard.size(), scheduling);
    Reply reply = all_.Ask("POST", std::string(kZone) + "/instances", body);
    ASSERT_EQ(reply.status, 200) << reply.body;
    all_.Settle();
    ASSERT_EQ(Status(), "RUNNING");
  }
  Reply Verb(const std::string& verb) {
    Reply reply = all_.Ask("POST", std::string(kZone) + "/instances/vm/" + verb);
    all_.plane->loop.RunDue();
    return reply;
  }
  std::string Status() {
    Reply reply = all_.Ask("GET", std::string(kZone) + "/instances/vm");
    return reply.status == 200 ? reply.Field("status") : std::to_string(reply.status);
  }
  std::string StatusOf(const Reply& operation) {
    return all_.Ask("GET", std::string(kZone) + "/operations/" + operation.Field("name"))
        .Field("status");
  }
  // "verb:status user" of every operation, oldest first.
  std::vector<std::string> Operations() {
    std::vector<std::string> shown;
    for (const auto& row : Query(all_.catalog, [](Txn& t) { return t.Scan<Operation>({}); })) {
      shown.push_back(row.value.verb + (row.value.ended ? "" : " open"));
    }
    return shown;
  }
  InstanceRecord Stored() {
    return Query(all_.catalog,
                 [](Txn& t) { return t.Find<InstanceRecord>("p/us-east1-b/vm")->value; });
  }
  bool Has(const std::string& verb) {
    std::vector<std::string> all = Operations();
    return std::find(all.begin(), all.end(), verb) != all.end();
  }
  void After(Duration time) {
    Time until = all_.clock.Now() + time;
    all_.SettleUntil(until);
    all_.clock.JumpTo(until);
    all_.Settle();
  }

  ComputeFixture all_;
};

constexpr const char* kPreemptible = R"({"preemptible":true})";
constexpr const char* kSlowToStop = R"({"fake_stop-seconds":"20"})";

TEST_F(InstanceLifeTest, SuspendedAndResumed) {
  Boot("{}");
  Reply suspend = Verb("suspend");
  ASSERT_EQ(suspend.status, 200) << suspend.body;
  EXPECT_EQ(Status(), "SUSPENDING");
  EXPECT_EQ(StatusOf(suspend), "RUNNING");
  all_.Settle();
  EXPECT_EQ(Status(), "SUSPENDED");
  EXPECT_EQ(StatusOf(suspend), "DONE");
  all_.Restart();
  all_.Settle();
  EXPECT_EQ(Status(), "SUSPENDED") << "a restart wakes nobody";
  EXPECT_EQ(Verb("start").status, 400);
  EXPECT_EQ(Verb("preempt").status, 400);
  Reply resume = Verb("resume");
  all_.Settle();
  EXPECT_EQ(Status(), "RUNNING");
  EXPECT_EQ(StatusOf(resume), "DONE");
  EXPECT_EQ(Stored().boot, 1) << "the same machine goes on";
  EXPECT_EQ(Verb("resume").status, 400);
  Verb("suspend");
  all_.Settle();
  Verb("stop");
  all_.Settle();
  EXPECT_EQ(Status(), "TERMINATED");
}

TEST_F(InstanceLifeTest, APreemptionIsAnOperationOfTheSystem) {
  Boot(kPreemptible, kSlowToStop);
  Reply asked = Verb("preempt");
  ASSERT_EQ(asked.status, 200) << asked.body;
  EXPECT_EQ(asked.Field("status"), "DONE");
  EXPECT_EQ(Status(), "STOPPING");
  EXPECT_TRUE(Has("compute.instances.preempted open"));
  ASSERT_TRUE(Stored().notice);
  EXPECT_EQ(Verb("preempt").status, 400) << "once is enough";
  all_.Settle();
  After(seconds(19));
  EXPECT_EQ(Status(), "STOPPING");
  After(seconds(2));
  EXPECT_EQ(Status(), "TERMINATED");
  EXPECT_TRUE(Has("compute.instances.preempted"));
  EXPECT_FALSE(Stored().finished);
  Reply listed = all_.Ask(
      "GET", std::string(kZone) + "/operations?filter=operationType=compute.instances.preempted");
  EXPECT_TRUE(listed.Has(R"("user":"system")")) << listed.body;
  Verb("start");
  all_.Settle();
  EXPECT_EQ(Status(), "RUNNING");
  EXPECT_FALSE(Stored().notice) << "a new boot knows nothing of it";
}

TEST_F(InstanceLifeTest, APreemptionGivesThirtySecondsAndNoMore) {
  Boot(kPreemptible, R"({"fake_stop-seconds":"200"})");
  Verb("preempt");
  all_.Restart();  // between the notice and the stop
  all_.Settle();
  After(seconds(29));
  EXPECT_EQ(Status(), "STOPPING");
  After(seconds(2));
  EXPECT_EQ(Status(), "TERMINATED");
}

TEST_F(InstanceLifeTest, ADaemonThatWasAwayGivesWhatIsLeft) {
  Boot(kPreemptible, R"({"fake_stop-seconds":"200"})");
  Verb("preempt");
  all_.clock.JumpTo(all_.clock.Now() + seconds(28));
  all_.Restart();
  all_.Settle();
  After(seconds(3));
  EXPECT_EQ(Status(), "TERMINATED");
}

TEST_F(InstanceLifeTest, OnlyThePreemptibleArePreempted) {
  Boot("{}");
  Reply reply = Verb("preempt");
  EXPECT_EQ(reply.status, 400);
  EXPECT_TRUE(reply.Has("neither preemptible nor a Spot VM")) << reply.body;
}

TEST_F(InstanceLifeTest, ASpotMachineMayBeDeletedInstead) {
  Boot(R"({"provisioningModel":"SPOT","instanceTerminationAction":"DELETE"})");
  Verb("preempt");
  all_.Settle();
  EXPECT_EQ(Status(), "404");
  EXPECT_TRUE(Has("compute.instances.preempted"));
  EXPECT_TRUE(all_.fake.List()->empty());
}

TEST_F(InstanceLifeTest, MaintenancePreemptsThePreemptible) {
  Boot(kPreemptible);
  EXPECT_EQ(Verb("simulateMaintenanceEvent").status, 200);
  all_.Settle();
  EXPECT_EQ(Status(), "TERMINATED");
  EXPECT_TRUE(Has("compute.instances.preempted"));
}

TEST_F(InstanceLifeTest, MaintenanceThatMovesIsOnlyAnnounced) {
  Boot("{}");
  Verb("simulateMaintenanceEvent");
  EXPECT_EQ(MaintenanceEvent(Stored().notice), "MIGRATE_ON_HOST_MAINTENANCE");
  After(seconds(59));
  EXPECT_TRUE(Has("compute.instances.migrateOnHostMaintenance open"));
  After(seconds(2));
  EXPECT_EQ(Status(), "RUNNING");
  EXPECT_EQ(Stored().boot, 1);
  EXPECT_EQ(MaintenanceEvent(Stored().notice), "NONE");
  EXPECT_TRUE(Has("compute.instances.migrateOnHostMaintenance"));
}

TEST_F(InstanceLifeTest, MaintenanceThatTerminatesRestartsWhereThatIsAllowed) {
  Boot(R"({"onHostMaintenance":"TERMINATE","automaticRestart":true})", kSlowToStop);
  Verb("simulateMaintenanceEvent");
  EXPECT_EQ(MaintenanceEvent(Stored().notice), "TERMINATE_ON_HOST_MAINTENANCE");
  After(seconds(59));
  EXPECT_EQ(Status(), "RUNNING");
  all_.Restart();
  After(seconds(2));
  EXPECT_EQ(Status(), "STOPPING");
  After(seconds(21));
  EXPECT_EQ(Status(), "RUNNING");
  EXPECT_EQ(Stored().boot, 2);
  EXPECT_TRUE(Has("compute.instances.terminateOnHostMaintenance"));
}

TEST_F(InstanceLifeTest, MaintenanceThatTerminatesEndsWhatMayNotRestart) {
  Boot(R"({"onHostMaintenance":"TERMINATE","automaticRestart":false})");
  Verb("simulateMaintenanceEvent");
  After(seconds(61));
  EXPECT_EQ(Status(), "TERMINATED");
}

TEST_F(InstanceLifeTest, ADayIsThePreemptiblesLongest) {
  Boot(kPreemptible);
  After(hours(24) - minutes(1));
  EXPECT_EQ(Status(), "RUNNING");
  After(minutes(2));
  EXPECT_EQ(Status(), "TERMINATED");
  EXPECT_TRUE(Has("compute.instances.preempted"));
}

TEST_F(InstanceLifeTest, TimeRunsOut) {
  Boot(R"({"maxRunDuration":{"seconds":"600"},"instanceTerminationAction":"DELETE"})");
  all_.Restart();
  After(minutes(9));
  EXPECT_EQ(Status(), "RUNNING");
  After(minutes(2));
  EXPECT_EQ(Status(), "404");
}

TEST_F(InstanceLifeTest, TheWeatherPreempts) {
  all_.preemption = {.seed = 3, .mean = minutes(30)};
  all_.Restart();
  Boot(kPreemptible);
  Duration after = *PreemptAfter(all_.preemption, Stored().machine_id(), 1);
  After(after - seconds(1));
  EXPECT_EQ(Status(), "RUNNING");
  After(seconds(2));
  EXPECT_EQ(Status(), "TERMINATED");
}

TEST_F(InstanceLifeTest, AGuestThatPowersOffHasFinished) {
  Boot("{}", R"({"fake_run-seconds":"20"})");
  After(seconds(21));
  EXPECT_EQ(Status(), "TERMINATED");
  EXPECT_TRUE(Stored().finished);
  EXPECT_TRUE(Has("compute.instances.guestTerminate"));
  Verb("start");
  all_.Settle();
  EXPECT_FALSE(Stored().finished);
}

// A workload's end is the machine's, whatever its code says to those who know of none.
TEST_F(InstanceLifeTest, AWorkloadsExitIsKept) {
  for (int code : {0, 1, 137, 194, 195}) {
    std::string body = ComputeFixture::InsertBody(
        "vm", R"({"fake_run-seconds":"5","fake_exit":")" + std::to_string(code) + "\"}");
    ASSERT_EQ(all_.Ask("POST", std::string(kZone) + "/instances", body).status, 200);
    all_.catalog.Write("workload", [](Txn& txn) {
      InstanceRecord record = txn.Find<InstanceRecord>("p/us-east1-b/vm")->value;
      record.workload = Workload{.argv = {"true"}};
      txn.Put(record.key(), record);
    });
    all_.Settle();
    After(seconds(60));
    InstanceRecord record = Stored();
    EXPECT_EQ(record.resource.status, api::compute::InstanceStatus::kTerminated);
    ASSERT_TRUE(record.last_exit);
    EXPECT_EQ(record.last_exit->code, code);
    EXPECT_EQ(record.last_exit->signal, code > 128 && code <= 192 ? code - 128 : 0);
    EXPECT_EQ(record.last_exit->asked_by, "WORKLOAD");
    EXPECT_EQ(record.last_exit->boot, 1);
    all_.Ask("DELETE", std::string(kZone) + "/instances/vm");
    all_.Settle();
    After(seconds(60));
  }
}

TEST_F(InstanceLifeTest, AMachineThatDiesIsRepairedAndHasNotFinished) {
  Boot("{}", R"({"fake_run-seconds":"20","fake_exit":"killed"})");
  After(seconds(20));
  EXPECT_EQ(Status(), "REPAIRING");
  EXPECT_FALSE(Stored().finished);
  After(seconds(1));
  EXPECT_EQ(Status(), "RUNNING");
  EXPECT_TRUE(Has("compute.instances.automaticRestart"));
}

}  // namespace
}  // namespace fireweed::compute
