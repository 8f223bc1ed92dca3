// Training jobs by the thousand in simulated time, of all shapes, under chance: replicas crash, are preempted, are lost with
// their machine, hang; jobs are cancelled; the driver fails; the daemon is cut off between intent, call and record.
// Whatever the seed: every job ends, in the state that its fate allows; nobody's budget is used up by preemptions; and in
// the end there is no instance, no disk, no machine and no place in the queue left.
//
// `./test` looks at a few seeds; more:   SIM_SEEDS=200 SIM_JOBS=5000 build/release/bin/jobs_sim_test
#include <cstdlib>
#include <map>
#include <string>

#include <gtest/gtest.h>

#include "machine/fake/faulty_driver.h"
#include "ml/ml_fixture.h"

namespace fireweed::ml {
namespace {

using api::ml::JobState;
using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;

enum class Fate { kSucceeds, kFails, kCrashes, kPreempted, kHangs };

uint64_t Mix(uint64_t a, uint64_t b) {
  uint64_t x = a * 0x9e3779b97f4a7c15ULL + b;
  x ^= x >> 31;
  x *= 0xbf58476d1ce4e5b9ULL;
  return x ^ (x >> 29);
}

class JobCloud {
 public:
  explicit JobCloud(uint64_t seed)
      : seed_(seed), random_(seed), faulty_(clock_, random_), all_(&faulty_, seed) {
    all_.base.clock.JumpTo(clock_.Now());
    all_.capacity = {24, 48 << 10};
    all_.Restart();
    all_.driver.script = [this](MachineSpec& spec) { Script(spec); };
  }

  void Run(int jobs) {
    faulty_.fault_percent = 2;
    for (int i = 0; i < jobs; ++i) {
      Submit("job" + std::to_string(i));
      if (random_.Below(20) == 0) Cancel("job" + std::to_string(random_.Below(i + 1)));
      // A large job that hangs has the whole machine: somebody notices now and then.
      if (random_.Below(25) == 0) CancelHanging();
      Pass(seconds(random_.Below(40)));
    }
    // Whoever hangs for ever is cancelled, then the weather clears.
    Pass(hours(2));
    faulty_.fault_percent = 0;
    CancelHanging();
    Pass(hours(24));
    Check();
  }

 private:
  void Submit(const std::string& id) {
    static const char* const kShapes[] = {
        R"("scaleTier":"CUSTOM","masterType":"n1-standard-1")",
        R"("scaleTier":"CUSTOM","masterType":"n1-standard-1","workerType":"n1-standard-1","workerCount":"2","parameterServerType":"n1-standard-1","parameterServerCount":"1")",
        R"("scaleTier":"CUSTOM","masterType":"n1-standard-1","workerType":"n1-standard-1","workerCount":"3")",
        R"("scaleTier":"CUSTOM","masterType":"n1-standard-1","evaluatorType":"n1-standard-1","evaluatorCount":"1")",
        R"("scaleTier":"STANDARD_1")"};
    uint64_t draw = random_.Below(100);
    fates_[id] = draw < 40   ? Fate::kSucceeds
                 : draw < 55 ? Fate::kFails
                 : draw < 70 ? Fate::kCrashes
                 : draw < 95 ? Fate::kPreempted
                             : Fate::kHangs;
    size_t shape = random_.Below(20) == 0 ? 4 : random_.Below(4);
    ASSERT_EQ(all_.Submit(id, kShapes[shape]).status, 200);
  }

  void Cancel(const std::string& id) {
    all_.Ask("POST", "/v1/projects/my-project/jobs/" + id + ":cancel", "{}");
    cancelled_.insert(id);
  }

  void CancelHanging() {
    for (const auto& [id, fate] : fates_) {
      if (fate == Fate::kHangs && !cancelled_.contains(id)) Cancel(id);
    }
  }

  // What becomes of one boot of one machine, by the fate of its job.
  void Script(MachineSpec& spec) {
    Fate fate = fates_[spec.labels["fireweed-job"]];
    const std::string& task = spec.labels["fireweed-task"];
    uint64_t draw = Mix(Mix(seed_, std::hash<std::string>()(spec.id)), spec.boot);
    bool server = task.starts_with("ps");
    spec.labels["fake.start-seconds"] = std::to_string(draw % 5);
    spec.labels["fake.stop-seconds"] = draw % 7 == 0 ? "500" : "1";
    auto ends = [&](uint64_t after, const char* how) {
      spec.labels["fake.run-seconds"] = std::to_string(after);
      spec.labels["fake.exit"] = how;
    };
    if (fate == Fate::kHangs) return;
    bool again = spec.boot <= 12 && draw % 3 == 0;
    if (fate == Fate::kPreempted && again) return ends(1 + draw % 50, "killed");
    if (fate == Fate::kCrashes && task.starts_with("master")) return ends(1 + draw % 20, "139");
    if (fate == Fate::kFails && task.starts_with("master")) return ends(1 + draw % 20, "1");
    if (!server) ends(20 + draw % 200, "off");
  }

  void Pass(Duration time) {
    Time until = all_.base.clock.Now() + time;
    while (true) {
      try {
        if (!Turn(until)) return;
      } catch (const std::runtime_error&) {
        // The daemon was cut off in the middle of a call.
      }
      if (!std::exchange(faulty_.cut, false)) continue;
      all_.Restart();
      ++restarts_;
    }
  }

  // False when nothing is due before `until`.
  bool Turn(Time until) {
    std::optional<Time> next = all_.base.plane->loop.RunDue();
    if (size_t waiting = all_.base.plane->pool.size(); waiting > 0) {
      all_.base.plane->pool.Run(random_.Below(waiting));
      return true;
    }
    Time now = all_.base.clock.Now();
    if (!next || *next > until) {
      all_.base.clock.JumpTo(until);
      clock_.JumpTo(until);
      return false;
    }
    if (*next > now) {
      all_.base.clock.JumpTo(*next);
      clock_.JumpTo(*next);
    }
    return true;
  }

  void Check() {
    std::map<JobState, int> count;
    for (const auto& [id, fate] : fates_) {
      JobRecord job = all_.Job(id);
      JobState state = job.job.state;
      ++count[state];
      ASSERT_TRUE(api::ml::HasEnded(state)) << id << " " << EnumName(state) << " seed " << seed_;
      EXPECT_TRUE(job.job.endTime);
      if (state == JobState::kCancelled) {
        EXPECT_TRUE(cancelled_.contains(id)) << id;
        continue;
      }
      bool fails = fate == Fate::kFails || fate == Fate::kCrashes;
      EXPECT_EQ(state, fails ? JobState::kFailed : JobState::kSucceeded)
          << id << " seed " << seed_ << ": " << job.job.errorMessage;
      int failures = 0;
      for (const Replica& replica : job.gangs.at(0).replicas) failures += replica.failures;
      if (fate == Fate::kFails) continue;
      EXPECT_EQ(failures, fate == Fate::kCrashes ? all_.rules.most_restarts + 1 : 0) << id;
    }
    EXPECT_TRUE(all_.Instances().empty()) << "seed " << seed_;
    EXPECT_TRUE(faulty_.List()->empty()) << "seed " << seed_;
    auto left = [&](std::string_view kind) {
      return Query(all_.base.catalog, [&](Txn& txn) { return txn.ScanRaw(kind, {}).size(); });
    };
    EXPECT_EQ(left(kRecordKind<ActiveJob>), 0u);
    EXPECT_EQ(left(kRecordKind<compute::DiskRecord>), 0u);
    EXPECT_GT(count[JobState::kSucceeded], 0);
    EXPECT_GT(count[JobState::kFailed], 0);
    EXPECT_GT(restarts_, 0) << "the daemon was never cut off";
    EXPECT_FALSE(all_.base.plane->loop.RunDue()) << "quiet in the end, seed " << seed_;
  }

  const uint64_t seed_;
  SimClock clock_;
  SeededRandom random_;
  FaultyDriver faulty_;
  MlFixture all_;
  std::map<std::string, Fate> fates_;
  std::set<std::string> cancelled_;
  int restarts_ = 0;
};

uint64_t Seeds() {
  // NOHOUSE(getenv): a switch for people
  const char* text = std::getenv("SIM_SEEDS");
  return text ? std::strtoull(text, nullptr, 10) : 2;
}

int Jobs() {
  // NOHOUSE(getenv): a switch for people
  const char* text = std::getenv("SIM_JOBS");
  return text ? std::atoi(text) : 1000;
}

TEST(JobsSimulation, EveryJobEndsRightly) {
  for (uint64_t seed = 1; seed <= Seeds(); ++seed) JobCloud(seed).Run(60);
}

// Hours of one daemon: what grows with every job would show here.
TEST(JobsSimulation, AThousandJobsEndRightly) { JobCloud(1000).Run(Jobs()); }

}  // namespace
}  // namespace fireweed::ml
