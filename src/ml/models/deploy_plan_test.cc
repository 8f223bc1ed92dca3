#include "ml/models/deploy_plan.h"

#include <gtest/gtest.h>

namespace fireweed::ml {
namespace {

using api::ml::VersionState;
using std::chrono::seconds;

struct PlanCase {
  const char* what;
  VersionState state;
  bool wanted;
  const char* handle;
  Sighting sighting;
  Load load;
  DeployStep step;
  VersionState after;
  bool publish;
};

constexpr auto kCreating = VersionState::kCreating;
constexpr auto kReady = VersionState::kReady;
constexpr auto kFailed = VersionState::kFailed;
constexpr auto kUpdating = VersionState::kUpdating;
const Time kNow{std::chrono::hours(1000)};

Sighting Runs(Duration age, bool answers) {
  return {
      .machine = Sighting::Machine::kRuns, .boot = 1, .answers = answers, .started = kNow - age};
}
Sighting Ended(bool answered, bool final) {
  return {.machine = Sighting::Machine::kEnded,
          .boot = 1,
          .answers = answered,
          .reason = "why",
          .final = final};
}

void Check(const PlanCase& c) {
  VersionRecord record{.project = "p", .model = "m", .name = "v", .uid = "u", .boot = 1};
  record.resource.state = c.state;
  record.resource.autoScaling = api::ml::AutoScaling{};
  record.wanted = c.wanted;
  record.handle = c.handle;
  DeployPlan plan = PlanVersion({record, c.sighting, c.load, kNow}, {});
  EXPECT_EQ(plan.step, c.step) << c.what;
  EXPECT_EQ(plan.next.resource.state, c.after) << c.what;
  EXPECT_EQ(plan.publish, c.publish) << c.what;
}

TEST(DeployPlan, BringsAVersionUp) {
  using enum DeployStep;
  constexpr Duration kNew{0};
  Sighting asked = Runs(kNew, false);
  asked.next_look = kNow + seconds(1);
  for (const PlanCase& c : std::initializer_list<PlanCase>{
           {"new", kCreating, false, "", {}, {}, kStart, kCreating, false},
           {"start was cut off", kCreating, true, "", {}, {}, kStart, kCreating, false},
           {"loading", kCreating, true, "h", Runs(kNew, false), {}, kLook, kCreating, false},
           {"asked lately", kCreating, true, "h", asked, {}, kNone, kCreating, false},
           {"too slow",
            kCreating,
            true,
            "h",
            Runs(std::chrono::hours(1), false),
            {},
            kStop,
            kFailed,
            false},
           {"answers", kCreating, true, "h", Runs(kNew, true), {}, kNone, kReady, true},
           {"bad model", kCreating, true, "h", Ended(false, true), {}, kStop, kFailed, false},
           {"ended early", kCreating, true, "h", Ended(false, false), {}, kNone, kCreating, false},
           {"failed", kFailed, false, "", {}, {.waiting = 1}, kNone, kFailed, false},
           {"failed, machine left", kFailed, false, "h", {}, {}, kStop, kFailed, false},
       }) {
    Check(c);
  }
}

TEST(DeployPlan, KeepsAVersionThatWasReady) {
  using enum DeployStep;
  Sighting old = Runs(std::chrono::hours(1), true);
  for (const PlanCase& c : std::initializer_list<PlanCase>{
           {"not seen yet", kReady, true, "h", {}, {}, kLook, kReady, false},
           {"bad later on", kReady, true, "h", Ended(false, true), {}, kNone, kReady, false},
           {"crashed", kReady, true, "h", Ended(true, false), {}, kNone, kReady, false},
           {"idle", kReady, true, "h", old, {}, kStop, kReady, false},
           {"used lately",
            kReady,
            true,
            "h",
            old,
            {.last_use = kNow - seconds(5)},
            kNone,
            kReady,
            true},
           {"busy", kReady, true, "h", old, {.in_flight = 1}, kNone, kReady, true},
           {"parked", kReady, false, "", {}, {}, kNone, kReady, false},
           {"parked, machine left", kReady, false, "h", {}, {}, kStop, kReady, false},
           {"asked for", kReady, false, "", {}, {.waiting = 1}, kStart, kReady, false},
           {"updated while parked", kUpdating, false, "", {}, {}, kStart, kUpdating, false},
           {"updated", kUpdating, true, "h", Runs(seconds(1), true), {}, kNone, kReady, true},
       }) {
    Check(c);
  }
}

TEST(DeployPlan, KeepsAProcessWhereNodesAreAskedFor) {
  VersionRecord record{.uid = "u"};
  record.resource.state = VersionState::kReady;
  record.resource.manualScaling = api::ml::ManualScaling{.nodes = 1};
  EXPECT_EQ(PlanVersion({record, {}, {}, Time{}}, {}).step, DeployStep::kStart);
  record.resource.manualScaling.reset();
  record.resource.autoScaling = api::ml::AutoScaling{.minNodes = 1};
  EXPECT_EQ(PlanVersion({record, {}, {}, Time{}}, {}).step, DeployStep::kStart);
}

TEST(DeployPlan, LetsRequestsFinishBeforeADeletion) {
  Time now{std::chrono::hours(1)};
  VersionRecord record{.uid = "u", .deleting = true, .delete_since = now};
  record.handle = "h";
  DeployPlan busy = PlanVersion({record, {}, {.in_flight = 2}, now}, {});
  EXPECT_TRUE(busy.withdraw);
  EXPECT_EQ(busy.step, DeployStep::kNone);
  EXPECT_TRUE(busy.look_again);
  EXPECT_EQ(PlanVersion({record, {}, {}, now}, {}).step, DeployStep::kRemove);
  EXPECT_EQ(PlanVersion({record, {}, {.in_flight = 2}, now + seconds(31)}, {}).step,
            DeployStep::kRemove);
}

}  // namespace
}  // namespace fireweed::ml
