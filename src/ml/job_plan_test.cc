#include "ml/job_plan.h"

#include <gtest/gtest.h>

#include "compute/cards.h"
#include "ml/gang_plan.h"

namespace fireweed::ml {
namespace {

using api::ml::JobState;
using Kind = ReplicaSight::Kind;
using std::chrono::minutes;
using std::chrono::seconds;

const Time kNow = *ParseTime("2026-11-15T10:00:00Z");

// A job with these replicas, all of them made and started, as the first plan leaves it.
JobRecord Started(std::initializer_list<ReplicaType> types) {
  JobRecord record{.project = "p", .admitted = kNow};
  record.job.jobId = "j";
  record.job.createTime = kNow;
  record.job.state = JobState::kPreparing;
  record.job.trainingInput = api::ml::TrainingInput{.pythonModule = "trainer.task"};
  record.prepared.emplace();
  Gang gang{.phase = GangPhase::kStarting};
  std::map<ReplicaType, int32_t> index;
  for (ReplicaType type : types) {
    gang.replicas.push_back(
        {.type = type, .index = index[type]++, .instance = "i", .instance_id = 1, .boot = 1});
  }
  record.gangs.push_back(gang);
  return record;
}

ReplicaSight Runs(int64_t boot = 1) { return {.kind = Kind::kRunning, .boot = boot}; }
ReplicaSight Ended(int code, const char* by = "WORKLOAD", int64_t boot = 1, bool oom = false) {
  ReplicaSight sight{.kind = Kind::kEnded, .boot = boot};
  sight.exit = {.boot = boot, .code = code, .out_of_memory = oom, .asked_by = by};
  return sight;
}

JobPlan Plan(const JobRecord& record, std::vector<ReplicaSight> sights, Time now = kNow,
             bool drained = true) {
  JobView view{.record = record, .sights = {std::move(sights)}, .drained = drained, .now = now};
  return PlanJob(view);
}

std::string Steps(const JobPlan& plan) {
  static const std::map<JobStep::Kind, char> kLetters{{JobStep::Kind::kCreate, 'c'},
                                                      {JobStep::Kind::kRestart, 'r'},
                                                      {JobStep::Kind::kStop, 's'},
                                                      {JobStep::Kind::kRemove, 'x'}};
  std::string text;
  for (const JobStep& step : plan.steps)
    text += kLetters.at(step.kind) + std::to_string(step.replica);
  return text;
}

constexpr auto kM = ReplicaType::kMaster, kW = ReplicaType::kWorker,
               kP = ReplicaType::kParameterServer, kE = ReplicaType::kEvaluator;

TEST(JobPlan, WaitsForTheQueueThenForItsPackages) {
  JobRecord record{.project = "p"};
  record.job = {.jobId = "j", .trainingInput = api::ml::TrainingInput{}, .createTime = kNow};
  record.job.state = JobState::kQueued;
  EXPECT_EQ(Plan(record, {}).next.job.state, JobState::kQueued);

  record.admitted = kNow;
  ASSERT_TRUE(NeedsEnvironment(record));
  JobView view{.record = record, .now = kNow};
  view.environment = EnvironmentBuilding{};
  JobPlan building = PlanJob(view);
  EXPECT_EQ(building.next.job.state, JobState::kPreparing);
  EXPECT_TRUE(building.steps.empty());

  view.environment = EnvironmentFailed{"No matching distribution found for nosuch"};
  JobPlan failed = PlanJob(view);
  EXPECT_EQ(failed.next.job.state, JobState::kFailed);
  EXPECT_EQ(failed.next.job.errorMessage, "No matching distribution found for nosuch");
  EXPECT_TRUE(failed.next.job.endTime);

  view.environment = EnvironmentReady{.interpreter = "python"};
  JobPlan ready = PlanJob(view);
  EXPECT_EQ(Steps(ready), "c0");
  EXPECT_FALSE(NeedsEnvironment(ready.next));
}

struct Case {
  const char* name;
  std::vector<ReplicaType> types;
  std::vector<ReplicaSight> sights;
  const char* steps;
  JobState outcome;
};
constexpr JobState kOpen = JobState::kUnspecified;

std::vector<Case> EndCases() {
  return {
      {"all run", {kM, kW, kP}, {Runs(), Runs(), Runs()}, "", kOpen},
      {"master succeeds: workers and servers end",
       {kM, kW, kP},
       {Ended(0), Runs(), Runs()},
       "s1s2",
       JobState::kSucceeded},
      {"a worker is done", {kM, kW, kP}, {Runs(), Ended(0), Runs()}, "", kOpen},
      {"its own mistake", {kM}, {Ended(1)}, "x0", JobState::kFailed},
      {"a worker's mistake", {kM, kW, kP}, {Runs(), Ended(127), Runs()}, "s0s2", JobState::kFailed},
      {"exit(-1) is its own mistake", {kM}, {Ended(255)}, "x0", JobState::kFailed},
      {"a signal is tried again, later", {kM}, {Ended(139)}, "", kOpen},
      {"out of memory is tried again", {kM}, {Ended(1, "WORKLOAD", 1, true)}, "", kOpen},
  };
}

std::vector<Case> OutsideCases() {
  return {
      {"preempted worker comes back alone",
       {kM, kW, kP},
       {Runs(), Ended(143, "STOP"), Runs()},
       "r1",
       kOpen},
      {"preempted server comes back alone",
       {kM, kW, kP},
       {Runs(), Runs(), Ended(0, "STOP")},
       "r2",
       kOpen},
      {"workers without servers come back together",
       {kM, kW, kW},
       {Runs(), Ended(143, "STOP"), Runs()},
       "r0r1r2",
       kOpen},
      {"and their fellows' complaints do not count",
       {kM, kW, kW},
       {Ended(1), Ended(143, "STOP"), Ended(1)},
       "r0r1r2",
       kOpen},
      {"an end of an earlier boot is history",
       {kM},
       {{.kind = Kind::kBooting, .boot = 1}},
       "",
       kOpen},
      {"a deleted instance is made again", {kM, kP}, {Runs(), {}}, "c1", kOpen},
      {"with workers alone, its fellows start again, too",
       {kM, kW, kW},
       {Runs(), {}, Runs()},
       "c1r0r2",
       kOpen},
      {"and their complaints while it goes do not count",
       {kM, kW},
       {Ended(1), {.kind = Kind::kMissing, .stopping = true}},
       "",
       kOpen},
      {"one that was reset runs again alone", {kM, kW, kP}, {Runs(), Runs(2), Runs()}, "", kOpen},
      {"with workers alone, all start again together",
       {kM, kW, kW},
       {Runs(), Runs(2), Ended(1)},
       "r0r1r2",
       kOpen},
      {"one that is going is waited for",
       {kM, kP},
       {Runs(), {.kind = Kind::kMissing, .stopping = true}},
       "",
       kOpen},
  };
}

TEST(JobPlan, EndsOfReplicas) {
  std::vector<Case> cases = EndCases(), outside = OutsideCases();
  cases.insert(cases.end(), outside.begin(), outside.end());
  for (const Case& c : cases) {
    JobRecord record = Started({});
    for (ReplicaType type : c.types) {
      record.gangs[0].replicas.push_back(
          {.type = type, .instance = "i", .instance_id = 1, .boot = 1});
    }
    JobPlan plan = Plan(record, c.sights);
    EXPECT_EQ(Steps(plan), c.steps) << c.name;
    EXPECT_EQ(plan.next.outcome, c.outcome) << c.name;
  }
}

TEST(JobPlan, EndsAreNamed) {
  auto status = [](int code) {
    std::string text = EndMessage({}, {.code = code});
    return text.substr(text.rfind(' ') + 1);
  };
  EXPECT_EQ(status(1), "1.");
  EXPECT_EQ(status(130), "130(SIGINT).");
  EXPECT_EQ(status(139), "139(SIGSEGV).");
  EXPECT_EQ(status(200), "200.");
  EXPECT_EQ(status(255), "255.");
}

TEST(JobPlan, StartTimeComesWhenAllRun) {
  JobRecord record = Started({kM, kW});
  JobPlan half = Plan(record, {Runs(), {.kind = Kind::kBooting}});
  EXPECT_EQ(half.next.job.state, JobState::kPreparing);
  JobPlan whole = Plan(half.next, {Runs(), Runs()});
  EXPECT_EQ(whole.next.job.state, JobState::kRunning);
  EXPECT_EQ(whole.next.job.startTime, kNow);
  EXPECT_EQ(whole.next.gangs[0].phase, GangPhase::kRunning);
}

TEST(JobPlan, FailuresUseUpTheBudgetPreemptionsDoNot) {
  JobRecord record = Started({kM});
  Time now = kNow;
  int64_t boot = 1;
  for (int i = 0; i < 50; ++i, now += minutes(5)) {
    JobPlan plan = Plan(record, {Ended(143, "STOP", boot)}, now);
    ASSERT_EQ(Steps(plan), "r0");
    record = plan.next;
    boot = record.gangs[0].replicas[0].boot;
  }
  EXPECT_EQ(record.gangs[0].replicas[0].preemptions, 50);
  for (int i = 1; i <= 4; ++i, now += minutes(5)) {
    JobPlan counted = Plan(record, {Ended(139, "WORKLOAD", boot)}, now);
    record = counted.next;
    EXPECT_EQ(record.gangs[0].replicas[0].failures, i);
    if (i == 4) break;
    ASSERT_TRUE(counted.look_again) << "a pause comes first";
    EXPECT_EQ(counted.steps.size(), 0u);
    JobPlan again = Plan(record, {Ended(139, "WORKLOAD", boot)}, now + minutes(3));
    EXPECT_EQ(Steps(again), "r0");
    EXPECT_EQ(again.next.gangs[0].replicas[0].failures, i) << "one end counts once";
    record = again.next;
    boot = record.gangs[0].replicas[0].boot;
  }
  EXPECT_EQ(record.job.state, JobState::kFailed);
  EXPECT_EQ(record.job.errorMessage,
            "The replica master 0 exited with a non-zero status of 139(SIGSEGV).");
}

TEST(JobPlan, AMachineThatIsLostEveryTimeIsGivenUp) {
  JobRecord record = Started({kM});
  Time now = kNow;
  int turns = 0;
  while (record.outcome == JobState::kUnspecified && ++turns < 100) {
    int64_t boot = record.gangs[0].replicas[0].boot;
    record = Plan(record, {Ended(137, "LOST", boot)}, now += minutes(3)).next;
    record = Plan(record, {Ended(137, "LOST", boot)}, now += minutes(3)).next;
  }
  EXPECT_EQ(record.outcome, JobState::kFailed);
  EXPECT_EQ(record.gangs[0].replicas[0].failures, 0);
}

TEST(JobPlan, AReplicaThatWasResetIsNoticedOnce) {
  JobPlan plan = Plan(Started({kM, kW}), {Runs(), Runs(2)});
  EXPECT_EQ(Steps(plan), "r0r1");
  EXPECT_EQ(plan.next.job.timeline.back().what, "worker-replica-0 rebooted");
  ReplicaSight going{.kind = Kind::kBooting, .boot = 1}, gone{.kind = Kind::kBooting, .boot = 2};
  JobPlan again = Plan(plan.next, {going, gone});
  EXPECT_EQ(Steps(again), "");
  JobPlan up = Plan(again.next, {Runs(2), Runs(3)});
  EXPECT_EQ(Steps(up), "");
  EXPECT_EQ(up.next.gangs[0].replicas[1].preemptions, 1);
  EXPECT_EQ(up.next.job.state, JobState::kRunning);
}

TEST(JobPlan, TheCommandIsToldWhenItIsRunAndNotWhileCardsAreWaitedFor) {
  ReplicaSight waits{.kind = Kind::kBooting, .boot = 1, .wants_cards = true};
  JobPlan plan = Plan(Started({kM}), {waits});
  ASSERT_EQ(plan.lines.size(), 1u);
  EXPECT_EQ(plan.lines[0].message, "Waiting for accelerators that other instances have.");
  EXPECT_EQ(plan.next.job.timeline.back().what, "master-replica-0 waits for cards");
  EXPECT_TRUE(Plan(plan.next, {waits}).lines.empty()) << "once";

  ReplicaSight boots{.kind = Kind::kBooting, .boot = 1, .begun = true};
  JobPlan begun = Plan(plan.next, {boots});
  ASSERT_EQ(begun.lines.size(), 1u);
  EXPECT_EQ(begun.lines[0].message, "Running command: python3 -m trainer.task");
  EXPECT_TRUE(Plan(begun.next, {boots}).lines.empty()) << "once a boot";
}

TEST(JobPlan, APreparationReportsItsProgress) {
  JobRecord record = Started({kM, kW});
  record.prepared.reset();
  record.gangs.clear();
  Time now = kNow;
  auto step = [&](EnvironmentAnswer answer, std::vector<ReplicaSight> sights = {}) {
    JobView view{
        .record = record, .sights = {std::move(sights)}, .environment = answer, .now = now};
    JobPlan plan = PlanJob(view);
    record = plan.next;
    return plan;
  };
  EnvironmentBuilding building{.key = "e", .since = kNow, .what = "t.tar.gz"};
  EXPECT_EQ(step(building).lines.at(0).message, "Installing the packages of the job.");
  std::vector<std::string> lines;
  Time last = kNow;
  for (int i = 0; i < 12; ++i) {
    JobPlan plan = step(building);
    ASSERT_TRUE(plan.look_again);
    for (const JobLine& line : plan.lines) {
      lines.push_back(line.message);
      EXPECT_EQ(line.waits_since, kNow);
      last = now;
    }
    EXPECT_LT(*plan.look_again - last, seconds(8)) << "silent for too long";
    now = *plan.look_again;
  }
  EXPECT_EQ(lines.at(0), "Installing t.tar.gz: 5 s so far.");
  EXPECT_EQ(lines.at(1), "Installing t.tar.gz: 10 s so far.");
}

TEST(JobPlan, AStartReportsItsProgressUntilTheJobRuns) {
  JobRecord record = Started({kM, kW});
  ReplicaSight boots{.kind = Kind::kBooting, .boot = 1};
  JobPlan quiet = Plan(record, {Runs(), boots}, kNow + seconds(4));
  EXPECT_TRUE(quiet.lines.empty());
  EXPECT_EQ(quiet.look_again, kNow + seconds(5));
  JobPlan plan = Plan(quiet.next, {Runs(), boots}, kNow + seconds(5));
  ASSERT_EQ(plan.lines.size(), 1u);
  EXPECT_EQ(plan.lines[0].message, "Starting 1 of 2 replicas: 5 s so far.");
  JobPlan runs = Plan(plan.next, {Runs(), Runs()}, kNow + seconds(60));
  EXPECT_EQ(runs.next.job.state, JobState::kRunning);
  EXPECT_TRUE(runs.lines.empty());
  EXPECT_FALSE(runs.look_again) << "a trainer that runs speaks for itself";
  boots.wants_cards = true;
  JobPlan waits = Plan(plan.next, {boots, boots}, kNow + seconds(70));
  JobPlan later = Plan(waits.next, {boots, boots}, kNow + seconds(80));
  EXPECT_EQ(later.look_again, kNow + seconds(130)) << "a wait that may take hours is less wordy";
}

TEST(JobPlan, EvaluatorsMayFinish) {
  JobRecord record = Started({kM, kE});
  JobPlan first = Plan(record, {Ended(0), Runs()});
  EXPECT_EQ(first.next.outcome, JobState::kUnspecified);
  EXPECT_EQ(first.look_again, kNow + minutes(5));
  EXPECT_EQ(Plan(first.next, {Ended(0), Ended(0)}).next.outcome, JobState::kSucceeded);
  JobPlan late = Plan(first.next, {Ended(0), Runs()}, kNow + minutes(5));
  EXPECT_EQ(late.next.outcome, JobState::kSucceeded);
  EXPECT_EQ(Steps(late), "s1");
}

TEST(JobPlan, EndsAreShownWhenEverythingIsDownAndDrained) {
  JobRecord record = Started({kM, kP});
  record = Plan(record, {Runs(), Runs()}).next;
  JobPlan stops = Plan(record, {Ended(0), Runs()}, kNow + seconds(3600));
  EXPECT_EQ(Steps(stops), "s1");
  EXPECT_EQ(stops.next.job.state, JobState::kRunning);
  ReplicaSight going = Runs();
  going.stopping = true;
  EXPECT_TRUE(Plan(stops.next, {Ended(0), going}).steps.empty()) << "asked once";
  JobPlan undrained = Plan(stops.next, {Ended(0), Ended(143, "STOP")}, kNow + seconds(3600), false);
  EXPECT_EQ(undrained.next.job.state, JobState::kRunning);
  EXPECT_TRUE(undrained.freed);
  EXPECT_TRUE(undrained.look_again);
  JobPlan end = Plan(undrained.next, {Ended(0), Ended(143, "STOP")}, kNow + seconds(3601));
  EXPECT_EQ(end.next.job.state, JobState::kSucceeded);
  EXPECT_EQ(end.next.job.endTime, kNow + seconds(3601));
  EXPECT_EQ(Steps(end), "x0x1");
  // Lines that never come do not hold it for ever.
  JobPlan late = Plan(undrained.next, {Ended(0), Ended(143, "STOP")},
                      kNow + seconds(3600) + JobRules{}.drain_limit, false);
  EXPECT_EQ(late.next.job.state, JobState::kSucceeded);
}

TEST(JobPlan, UnitsAreCountedFromStartToEnd) {
  JobRecord record = Started({kM});
  record = Plan(record, {Runs()}).next;
  JobView view{
      .record = record, .sights = {{Ended(0)}}, .drained = true, .now = kNow + minutes(90)};
  view.units_per_hour = 0.4;
  EXPECT_DOUBLE_EQ(PlanJob(view).next.job.trainingOutput->consumedMLUnits, 0.6);
}

TEST(JobPlan, CancelAndTimesThatAreUp) {
  JobRecord record = Started({kM, kW});
  record.cancel = true;
  JobPlan plan = Plan(record, {Runs(), Ended(1)});
  EXPECT_EQ(plan.next.job.state, JobState::kCancelling);
  EXPECT_EQ(Steps(plan), "s0");
  JobPlan end = Plan(plan.next, {Ended(143, "STOP"), Ended(1)});
  EXPECT_EQ(end.next.job.state, JobState::kCancelled);

  JobRecord slow = Plan(Started({kM}), {Runs()}).next;
  slow.job.trainingInput->scheduling = api::ml::JobScheduling{.maxRunningTime = "60s"};
  EXPECT_EQ(Plan(slow, {Runs()}).look_again, kNow + seconds(60));
  JobPlan up = Plan(slow, {Runs()}, kNow + seconds(60));
  EXPECT_EQ(up.next.outcome, JobState::kCancelled);
  EXPECT_NE(up.next.job.errorMessage.find("maxRunningTime"), std::string::npos);

  JobRecord queued{.project = "p"};
  queued.job = {.jobId = "j", .trainingInput = api::ml::TrainingInput{}, .createTime = kNow};
  queued.job.state = JobState::kQueued;
  queued.job.trainingInput->scheduling = api::ml::JobScheduling{.maxWaitTime = "1.5s"};
  EXPECT_EQ(Plan(queued, {}).look_again, kNow + std::chrono::milliseconds(1500));
  EXPECT_EQ(Plan(queued, {}, kNow + seconds(2)).next.job.state, JobState::kCancelled);
}

TEST(JobPlan, APlanThatIsMadeTwiceIsTheSame) {
  JobRecord record = Started({kM, kW, kP});
  std::vector<ReplicaSight> sights{Runs(), Runs(), Runs()};
  JobRecord next = Plan(record, sights).next;
  JobPlan again = Plan(next, sights);
  EXPECT_TRUE(SameValue(again.next, next));
  EXPECT_TRUE(again.steps.empty());
  EXPECT_TRUE(again.lines.empty());
}

TEST(JobPlan, Durations) {
  EXPECT_EQ(ParseSeconds("3600s"), seconds(3600));
  EXPECT_EQ(ParseSeconds("0.5s"), std::chrono::milliseconds(500));
  for (const char* bad : {"", "s", "3600", "1h", "-1s", "1e99s", "nans", "3s "}) {
    EXPECT_FALSE(ParseSeconds(bad)) << bad;
  }
}

TEST(ReplicaSight, ReadsInstances) {
  Replica replica{.instance_id = 7, .boot = 2};
  compute::InstanceRecord instance;
  instance.resource.id = 7;
  instance.boot = 2;
  EXPECT_EQ(SightOf(nullptr, replica).kind, Kind::kMissing);
  EXPECT_TRUE(SightOf(&instance, replica).begun);
  instance.resource.guestAccelerators = {{"nvidia-tesla-t4", 1}};
  EXPECT_FALSE(SightOf(&instance, replica).begun) << "no card yet";
  instance.last_error = OperationError{"EXHAUSTED", std::string(compute::kCardsTaken), "taken"};
  EXPECT_TRUE(SightOf(&instance, replica).wants_cards);
  instance.last_error.reset();
  instance.cards = {"/dev/card0"};
  EXPECT_TRUE(SightOf(&instance, replica).begun);
  instance.seen = compute::MachineSeen::kRunning;
  EXPECT_EQ(SightOf(&instance, replica).kind, Kind::kRunning);
  instance.want = compute::InstanceWant::kSuspended;
  EXPECT_FALSE(SightOf(&instance, replica).stopping);
  instance.want = compute::InstanceWant::kStopped;
  EXPECT_TRUE(SightOf(&instance, replica).stopping);
  instance.want = compute::InstanceWant::kRunning;
  instance.boot = 1;
  EXPECT_EQ(SightOf(&instance, replica).kind, Kind::kBooting) << "an earlier boot still ends";
  instance.boot = 2;
  instance.seen = compute::MachineSeen::kStopped;
  EXPECT_EQ(SightOf(&instance, replica).exit.asked_by, "LOST");
  instance.last_exit = compute::LastExit{.boot = 2, .code = 3, .asked_by = "WORKLOAD"};
  EXPECT_EQ(SightOf(&instance, replica).exit.code, 3);
  instance.seen = compute::MachineSeen::kNothing;
  instance.want = compute::InstanceWant::kStopped;
  instance.resource.status = api::compute::InstanceStatus::kTerminated;
  instance.last_error = OperationError{"UNAVAILABLE", "", "no such image"};
  EXPECT_EQ(SightOf(&instance, replica).kind, Kind::kBroken);
  EXPECT_EQ(SightOf(&instance, replica).error, "no such image");
  instance.want = compute::InstanceWant::kGone;
  EXPECT_EQ(SightOf(&instance, replica).kind, Kind::kMissing);
  instance.resource.id = 8;
  EXPECT_FALSE(SightOf(&instance, replica).stopping) << "another instance of the same name";
}

}  // namespace
}  // namespace fireweed::ml
