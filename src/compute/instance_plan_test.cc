#include "compute/instance_plan.h"

#include <gtest/gtest.h>

namespace fireweed::compute {
namespace {

using api::compute::InstanceStatus;
using std::chrono::minutes;
using std::chrono::seconds;
using Step = InstanceStep;
using Want = InstanceWant;
using Seen = MachineSeen;
using End = MachineEnd;

const Time kNow = FromMicros(1'700'000'000'000'000);

InstanceRecord Make() {
  InstanceRecord record{.project = "p", .zone = "us-east1-b"};
  record.resource.name = "a";
  record.resource.networkInterfaces.emplace_back().accessConfigs.emplace_back();
  return record;
}

struct Case {
  const char* what;
  std::function<void(InstanceRecord&)> have;
  Step step;
  InstanceStatus status;
  bool reached = false;
};

// Every row of the life cycle that does not depend on time.
const Case kCases[] = {
    {"fresh", [](auto&) {}, Step::kStart, InstanceStatus::kStaging},
    {"start not reported", [](auto& r) { r.boot = 1; }, Step::kStart, InstanceStatus::kStaging},
    {"starting", [](auto& r) { r.boot = 1, r.seen = Seen::kStarting; }, Step::kNone,
     InstanceStatus::kStaging},
    {"running", [](auto& r) { r.boot = 1, r.seen = Seen::kRunning; }, Step::kNone,
     InstanceStatus::kRunning, true},
    {"a disk on its way",
     [](auto& r) { r.boot = 1, r.seen = Seen::kRunning, r.disk_changes.emplace_back(); },
     Step::kDisk, InstanceStatus::kRunning},
    {"a disk on its way, suspend",
     [](auto& r) {
       r.boot = 1, r.seen = Seen::kRunning, r.want = Want::kSuspended;
       r.disk_changes.emplace_back();
     },
     Step::kDisk, InstanceStatus::kProvisioning},
    {"a disk on its way, stopped",
     [](auto& r) {
       r.boot = 1, r.seen = Seen::kStopped, r.want = Want::kStopped;
       r.disk_changes.emplace_back();
     },
     Step::kNone, InstanceStatus::kTerminated, true},
    {"reset", [](auto& r) { r.boot = 1, r.wanted_boot = 2, r.seen = Seen::kRunning; }, Step::kStop,
     InstanceStatus::kProvisioning},
    {"reset, ended",
     [](auto& r) { r.boot = 1, r.wanted_boot = 2, r.seen = Seen::kStopped, r.stop_sent = true; },
     Step::kStart, InstanceStatus::kStaging},
    {"start again, start not reported", [](auto& r) { r.boot = 1, r.wanted_boot = 2; }, Step::kFind,
     InstanceStatus::kStaging},
    {"start again, searched", [](auto& r) { r.boot = 1, r.wanted_boot = 2, r.searched = true; },
     Step::kStart, InstanceStatus::kStaging},
    {"powered off inside",
     [](auto& r) { r.boot = 1, r.seen = Seen::kStopped, r.end = End::kOffInside; }, Step::kNone,
     InstanceStatus::kTerminated, true},
    {"rebooted inside", [](auto& r) { r.boot = 1, r.seen = Seen::kStopped, r.end = End::kReboot; },
     Step::kStart, InstanceStatus::kStaging},
    {"died, restarts", [](auto& r) { r.boot = 1, r.seen = Seen::kStopped, r.end = End::kDied; },
     Step::kStart, InstanceStatus::kStaging},
    {"died, preemptible",
     [](auto& r) {
       r.boot = 1, r.seen = Seen::kStopped, r.end = End::kDied;
       r.resource.scheduling.preemptible = true;
     },
     Step::kNone, InstanceStatus::kTerminated, true},
    {"stop", [](auto& r) { r.boot = 1, r.seen = Seen::kRunning, r.want = Want::kStopped; },
     Step::kStop, InstanceStatus::kStopping},
    {"stop sent",
     [](auto& r) {
       r.boot = 1, r.seen = Seen::kRunning, r.want = Want::kStopped, r.stop_sent = true;
     },
     Step::kNone, InstanceStatus::kStopping},
    {"stopped", [](auto& r) { r.boot = 1, r.seen = Seen::kStopped, r.want = Want::kStopped; },
     Step::kNone, InstanceStatus::kTerminated, true},
    {"stop before any boot", [](auto& r) { r.want = Want::kStopped; }, Step::kNone,
     InstanceStatus::kTerminated, true},
    {"stop, start not reported", [](auto& r) { r.boot = 1, r.want = Want::kStopped; }, Step::kFind,
     InstanceStatus::kStopping},
    {"delete while it runs",
     [](auto& r) { r.boot = 1, r.seen = Seen::kRunning, r.want = Want::kGone; }, Step::kStop,
     InstanceStatus::kStopping},
    {"delete, ended",
     [](auto& r) { r.boot = 1, r.seen = Seen::kStopped, r.want = Want::kGone, r.handle = "h"; },
     Step::kRemove, InstanceStatus::kStopping},
    {"delete, removed", [](auto& r) { r.boot = 1, r.searched = true, r.want = Want::kGone; },
     Step::kErase, InstanceStatus::kStopping},
    {"delete before any boot", [](auto& r) { r.want = Want::kGone; }, Step::kErase,
     InstanceStatus::kStopping},
};

TEST(InstancePlanTest, EveryRowOfTheLifeCycle) {
  for (const Case& row : kCases) {
    SCOPED_TRACE(row.what);
    InstanceRecord record = Make();
    row.have(record);
    InstancePlan plan = PlanInstance({record, kNow, std::nullopt});
    EXPECT_EQ(plan.step, row.step);
    EXPECT_EQ(EnumName(plan.next.resource.status), EnumName(row.status));
    EXPECT_EQ(plan.reached, row.reached);
    EXPECT_FALSE(plan.failure);
  }
}

TEST(InstancePlanTest, PlanningAgainChangesNothing) {
  for (const Case& row : kCases) {
    SCOPED_TRACE(row.what);
    InstanceRecord record = Make();
    row.have(record);
    InstancePlan plan = PlanInstance({record, kNow, std::nullopt});
    InstancePlan again = PlanInstance({plan.next, kNow, std::nullopt});
    EXPECT_EQ(again.step, plan.step);
    EXPECT_TRUE(SameValue(again.next, plan.next));
    EXPECT_FALSE(again.reached) << "operations are ended once";
  }
}

TEST(InstancePlanTest, ARunningMachineIsLookedAtWhenItIsTime) {
  InstanceRecord record = Make();
  record.boot = 1, record.seen = Seen::kRunning;
  EXPECT_EQ(PlanInstance({record, kNow, kNow}).step, Step::kLook);
  InstancePlan later = PlanInstance({record, kNow, kNow + seconds(5)});
  EXPECT_EQ(later.step, Step::kNone);
  EXPECT_EQ(later.look_again, kNow + seconds(5));
}

TEST(InstancePlanTest, GracesAreNinetySecondsAndNone) {
  InstanceRecord record = Make();
  record.boot = 1, record.seen = Seen::kRunning, record.want = Want::kStopped;
  EXPECT_EQ(PlanInstance({record, kNow, std::nullopt}).grace, kStopGrace);
  record.want = Want::kRunning, record.wanted_boot = 2;
  EXPECT_EQ(PlanInstance({record, kNow, std::nullopt}).grace, Duration(0));
}

TEST(InstancePlanTest, FailedStartsPauseAndAreGivenUp) {
  InstanceRecord record = Make();
  record.boot = 1;
  Time now = kNow;
  Error busy{Code::kUnavailable, "", "busy"};
  for (int attempt = 1; attempt < kMostStarts; ++attempt) {
    NoteFailure(record, busy, now);
    InstancePlan waits = PlanInstance({record, now, std::nullopt});
    EXPECT_EQ(waits.step, Step::kNone);
    ASSERT_TRUE(waits.look_again);
    now = *waits.look_again;
    EXPECT_EQ(PlanInstance({record, now, std::nullopt}).step, Step::kStart);
  }
  NoteFailure(record, busy, now);
  InstancePlan plan = PlanInstance({record, now, std::nullopt});
  ASSERT_TRUE(plan.failure);
  EXPECT_EQ(*plan.failure, busy);
  EXPECT_EQ(plan.next.want, Want::kGone) << "an insert that failed leaves nothing";
  record.ever_ran = true;
  EXPECT_EQ(PlanInstance({record, now, std::nullopt}).next.want, Want::kStopped);
}

TEST(InstancePlanTest, AWrongRequestIsGivenUpAtOnce) {
  InstanceRecord record = Make();
  record.boot = 1;
  NoteFailure(record, {Code::kInvalid, "", "no such layer"}, kNow);
  InstancePlan plan = PlanInstance({record, kNow, std::nullopt});
  ASSERT_TRUE(plan.failure);
  EXPECT_EQ(PlanInstance({plan.next, kNow, std::nullopt}).step, Step::kFind);
}

TEST(InstancePlanTest, ACrashLoopSlowsDownUntilItRunsWell) {
  InstanceRecord record = Make();
  record.boot = 1;
  MachineSighting up{.seen = Seen::kRunning}, dead{.seen = Seen::kStopped, .end = End::kDied};
  NoteSighting(record, up, kNow);
  NoteSighting(record, dead, kNow + seconds(1));
  InstancePlan plan = PlanInstance({record, kNow + seconds(1), std::nullopt});
  EXPECT_EQ(plan.step, Step::kNone);
  EXPECT_TRUE(plan.look_again);
  NoteSighting(record, up, kNow);
  NoteSighting(record, dead, kNow + kHealthyRun);
  EXPECT_EQ(PlanInstance({record, kNow + kHealthyRun, std::nullopt}).step, Step::kStart);
}

TEST(InstancePlanTest, ASightingBringsTheAddress) {
  InstanceRecord record = Make();
  record.boot = 1;
  NoteSighting(record, {.seen = Seen::kRunning, .address = "10.1.2.3"}, kNow);
  EXPECT_EQ(record.resource.networkInterfaces[0].networkIP, "10.1.2.3");
  EXPECT_EQ(record.resource.networkInterfaces[0].accessConfigs[0].natIP, "10.1.2.3");
  EXPECT_FALSE(record.resource.lastStartTimestamp.empty());
  EXPECT_TRUE(record.resource.lastStopTimestamp.empty());
}

}  // namespace
}  // namespace fireweed::compute
