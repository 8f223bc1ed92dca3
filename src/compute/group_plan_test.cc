#include "compute/group_plan.h"

#include <set>

#include <gtest/gtest.h>

#include "compute/completion.h"

namespace fireweed::compute {
namespace {

using api::compute::InstanceStatus;
using std::chrono::hours;
using std::chrono::seconds;
using Kind = GroupStep::Kind;

const Time kNow = FromMicros(1'700'000'000'000'000);

// A group and the instances of its members, by name.
struct World {
  GroupRecord group;
  std::map<std::string, InstanceRecord> instances;
  std::set<std::string> done;

  explicit World(int size) {
    group.project = "p", group.zone = "z";
    group.resource.id = 7, group.resource.name = "g", group.resource.baseInstanceName = "w";
    group.resource.targetSize = size;
  }
  std::vector<MemberView> Views() const {
    std::vector<MemberView> views;
    for (const GroupMember& member : group.members) {
      auto found = instances.find(member.name);
      bool there = found != instances.end() && found->second.resource.id == member.id;
      views.push_back(
          {.instance = there ? &found->second : nullptr, .work_done = done.contains(member.name)});
    }
    return views;
  }
  GroupPlan Plan(Time now = kNow) const { return PlanGroup({group, Views(), now}); }
  bool Stable() const { return IsStable({group, Views(), kNow}); }

  // Does what the controllers would do, at once.
  GroupPlan Turn(Time now = kNow) {
    GroupPlan plan = Plan(now);
    group = plan.next;
    for (const GroupStep& step : plan.steps) {
      if (step.kind == Kind::kDelete) {
        instances.erase(step.name);
        continue;
      }
      for (GroupMember& member : group.members) {
        if (member.name == step.name) member.id = ++last_id;
      }
      InstanceRecord made;
      made.resource.name = step.name;
      made.resource.id = last_id;
      made.resource.status = InstanceStatus::kRunning;
      made.boot_started = now;
      instances[step.name] = made;
    }
    return plan;
  }
  void Settle(Time now = kNow) {
    for (int i = 0; i < 10; ++i) Turn(now);
  }
  InstanceRecord& First() { return instances.at(group.members.front().name); }
  void End(InstanceRecord& instance) {
    instance.want = InstanceWant::kStopped;
    instance.resource.status = InstanceStatus::kTerminated;
  }
  int64_t last_id = 100;
};

TEST(GroupPlanTest, FillsUpAndRests) {
  World world(3);
  EXPECT_FALSE(world.Stable());
  EXPECT_EQ(CountActions({world.group, world.Views(), kNow}).creating, 3);
  EXPECT_EQ(world.Turn().steps.size(), 3u);
  EXPECT_TRUE(world.Stable());
  GroupPlan rest = world.Plan();
  EXPECT_TRUE(rest.steps.empty());
  EXPECT_TRUE(SameValue(rest.next, world.group));
  EXPECT_FALSE(rest.look_again);
}

TEST(GroupPlanTest, NamesAreTheBaseAndFourCharactersAndDiffer) {
  World world(200);
  world.Settle();
  std::set<std::string> names;
  for (const GroupMember& member : world.group.members) {
    EXPECT_EQ(member.name.size(), std::string("w-abcd").size());
    EXPECT_TRUE(member.name.starts_with("w-"));
    names.insert(member.name);
  }
  EXPECT_EQ(names.size(), 200u);
}

TEST(GroupPlanTest, ALargeGroupIsMadeInTurns) {
  World world(100);
  GroupPlan plan = world.Turn();
  EXPECT_EQ(plan.steps.size(), kMostMemberSteps);
  EXPECT_EQ(plan.look_again, kNow);
  world.Settle();
  EXPECT_TRUE(world.Stable());
}

TEST(GroupPlanTest, ShrinkingTakesWhatDoesNotRunAndThenTheNewest) {
  World world(3);
  world.Settle();
  std::string idle = world.group.members[0].name, newest = world.group.members[2].name;
  world.instances[idle].resource.status = InstanceStatus::kStaging;
  world.group.resource.targetSize = 1;
  GroupPlan plan = world.Plan();
  ASSERT_EQ(plan.steps.size(), 2u);
  std::set<std::string> going = {plan.steps[0].name, plan.steps[1].name};
  EXPECT_EQ(going, (std::set<std::string>{idle, newest}));
  EXPECT_EQ(plan.steps[0].kind, Kind::kDelete);
  world.Settle();
  EXPECT_EQ(world.group.members.size(), 1u);
  EXPECT_TRUE(world.Stable());
}

TEST(GroupPlanTest, APreemptedMemberComesBackAtOnceUnderItsName) {
  World world(1);
  world.Settle();
  std::string name = world.group.members[0].name;
  for (int time = 0; time < 5; ++time) {
    world.End(world.First());
    world.First().notice = MakeNotice(NoticeCause::kPreemption, kNow);
    GroupPlan gone = world.Turn();
    ASSERT_EQ(gone.steps.size(), 1u);
    EXPECT_EQ(gone.steps[0].kind, Kind::kDelete);
    EXPECT_FALSE(world.Stable());
    GroupPlan back = world.Turn();
    ASSERT_EQ(back.steps.size(), 1u);
    EXPECT_EQ(back.steps[0].kind, Kind::kCreate);
    EXPECT_EQ(back.steps[0].name, name);
    EXPECT_TRUE(world.Stable());
  }
}

TEST(GroupPlanTest, AMemberThatAlwaysEndsSoonIsMadeLaterAndLater) {
  World world(1);
  world.Settle();
  Time now = kNow;
  Duration last{};
  for (int time = 0; time < 6; ++time) {
    world.End(world.First());
    world.Turn(now);
    GroupPlan plan = world.Turn(now);
    Duration pause = plan.look_again ? *plan.look_again - now : Duration(0);
    if (time == 0) {
      EXPECT_EQ(pause, Duration(0)) << "the first time at once";
    }
    EXPECT_GE(pause, last / 2);
    last = pause;
    now += pause;
    world.Settle(now);
    ASSERT_EQ(world.instances.size(), 1u);
  }
  EXPECT_GT(last, seconds(5));
  // One that ran well begins anew.
  now += hours(1);
  world.End(world.First());
  world.Turn(now);
  EXPECT_FALSE(world.Turn(now).steps.empty());
}

TEST(GroupPlanTest, AMemberThatSomebodyDeletedComesBack) {
  World world(2);
  world.Settle();
  world.instances.erase(world.group.members[0].name);
  EXPECT_FALSE(world.Stable());
  GroupPlan plan = world.Turn();
  ASSERT_EQ(plan.steps.size(), 1u);
  EXPECT_EQ(plan.steps[0].kind, Kind::kCreate);
  EXPECT_TRUE(world.Stable());
}

TEST(GroupPlanTest, DoneWorkShrinksTheGroupAndDeadMembersDoNot) {
  World world(2);
  world.Settle();
  std::string first = world.group.members[0].name, second = world.group.members[1].name;
  world.End(world.instances[first]);
  world.End(world.instances[second]);
  world.done.insert(first);
  world.Settle();
  EXPECT_EQ(world.group.target(), 1);
  EXPECT_EQ(world.group.completed, 1);
  ASSERT_EQ(world.group.members.size(), 1u);
  EXPECT_EQ(world.group.members[0].name, second) << "it died, and is back";
  EXPECT_TRUE(world.Stable());
  world.End(world.instances[second]);
  world.done.insert(second);
  world.Settle();
  EXPECT_EQ(world.group.target(), 0);
  EXPECT_TRUE(world.group.members.empty());
  EXPECT_TRUE(world.Stable());
}

TEST(GroupPlanTest, AGroupThatGoesTakesItsMembersAlong) {
  World world(3);
  world.Settle();
  world.group.gone = true;
  GroupPlan plan = world.Turn();
  EXPECT_EQ(plan.steps.size(), 3u);
  EXPECT_FALSE(plan.erase);
  EXPECT_TRUE(world.Turn().erase);
  World empty(0);
  empty.group.gone = true;
  EXPECT_TRUE(empty.Plan().erase);
}

struct DoneCase {
  const char* what;
  Completion completion;
  std::function<void(InstanceRecord&, GuestAttributes&)> have;
  bool done;
};

TEST(CompletionTest, WhatIsCompletionAndWhatIsNot) {
  const DoneCase kCases[] = {
      {"powered off", Completion::kOnPoweroff, [](auto& r, auto&) { r.finished = true; }, true},
      {"ended otherwise", Completion::kOnPoweroff, [](auto&, auto&) {}, false},
      {"powered off, nobody asked", Completion::kNever, [](auto& r, auto&) { r.finished = true; },
       false},
      {"booted again since", Completion::kOnPoweroff,
       [](auto& r, auto&) { r.finished = true, r.want = InstanceWant::kRunning; }, false},
      {"off without a word", Completion::kOnSuccess, [](auto& r, auto&) { r.finished = true; },
       false},
      {"script ended well", Completion::kOnSuccess,
       [](auto&, auto& g) { g.values[std::string(kStartupExitAttribute)] = "0"; }, true},
      {"script ended badly", Completion::kOnSuccess,
       [](auto&, auto& g) { g.values[std::string(kStartupExitAttribute)] = "1"; }, false},
      {"said so while it runs", Completion::kOnSuccess,
       [](auto& r, auto& g) {
         r.want = InstanceWant::kRunning;
         g.values[std::string(kCompletionAttribute)] = "success";
       },
       true},
  };
  for (const DoneCase& row : kCases) {
    SCOPED_TRACE(row.what);
    InstanceRecord record;
    record.want = InstanceWant::kStopped;
    GuestAttributes guest;
    row.have(record, guest);
    EXPECT_EQ(IsWorkDone(row.completion, record, &guest), row.done);
  }
}

TEST(CompletionTest, TheGroupsWordGoesBeforeTheInstances) {
  InstanceRecord record;
  record.resource.metadata.items = {{"fireweed-completion", "on-poweroff"}};
  EXPECT_EQ(CompletionOf("", record), Completion::kOnPoweroff);
  EXPECT_EQ(CompletionOf("never", record), Completion::kNever);
  record.resource.metadata.items = {{"fireweed-completion", "perhaps"}};
  EXPECT_EQ(CompletionOf("", record), Completion::kNever);
  EXPECT_THROW(CheckCompletion("completion", "perhaps"), Failure);
}

}  // namespace
}  // namespace fireweed::compute
