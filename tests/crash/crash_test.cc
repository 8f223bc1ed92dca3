// Crash points are enumerated, not chosen: before every single change that a recorded run makes to
// its disk the power is cut, in several ways, and the program starts again on what is left. With
// CRASH_STRIDE=N every N-th point is looked at (sanitizer builds); a release build looks at all.
#include <algorithm>
#include <atomic>
#include <cstdio>
#include <memory>
#include <optional>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/memory_disk.h"
#include "crash/depot.h"
#include "crash/inspection.h"
#include "crash/promises.h"
#include "crash/workload.h"

namespace fireweed::crash {
namespace {

constexpr int64_t kStride = CRASH_STRIDE;
constexpr int64_t kTwoLivesEvery = 5;
constexpr uint64_t kTornImages = 3;  // of each point, with different lots
constexpr size_t kComplaintsShown = 10;

// Points and images looked at, and what was wrong.
class Tally {
 public:
  Tally(std::string name, const DepotMaker& make) : name_(std::move(name)), make_(make) {}
  ~Tally() {
    std::printf("crash: %s: %lld points, %lld restarts\n", name_.c_str(),
                static_cast<long long>(points_.load()), static_cast<long long>(restarts_.load()));
  }

  // Whether the next moment is one of the share that is looked at.
  bool Take() { return moments_++ % kStride == 0; }
  void Point() { ++points_; }
  void Look(MemoryDisk& disk, const Promises& promises, const std::string& where, Depth depth) {
    ++restarts_;
    for (const std::string& complaint : Inspect(make_, disk, promises, 100, depth)) {
      if (++complaints_ <= kComplaintsShown) ADD_FAILURE() << where << ": " << complaint;
    }
  }
  int64_t points() const { return points_; }

 private:
  const std::string name_;
  const DepotMaker& make_;
  std::atomic<int64_t> moments_{0}, points_{0}, restarts_{0};
  std::atomic<size_t> complaints_{0};
};

// Cuts the power before each change to `disk`, in every way, as long as it lives.
void CutAtEveryPoint(MemoryDisk& disk, const Notary& notary, Tally& tally) {
  disk.Watch([&](const MemoryDisk::Moment& moment) {
    if (!tally.Take()) return;
    tally.Point();
    Promises promises = notary.Copy();
    Depth depth = tally.points() % kTwoLivesEvery == 0 ? Depth::kTwoLives : Depth::kOneLife;
    auto look = [&](Loss loss, uint64_t seed, const char* how) {
      std::unique_ptr<MemoryDisk> after = moment.AfterCrash(loss, seed);
      std::string where = "before call " + std::to_string(moment.call()) + " (" + moment.what() +
                          "), " + how + ", seed " + std::to_string(seed);
      tally.Look(*after, promises, where, depth);
    };
    look(Loss::kNothing, 0, "killed");
    look(Loss::kUnsynced, 0, "unsynced lost");
    for (uint64_t i = 0; i < kTornImages; ++i) {
      look(Loss::kTorn, static_cast<uint64_t>(moment.call()) * kTornImages + i, "torn");
    }
  });
}

struct DepotKind {
  std::string name;
  DepotMaker make;
};
void PrintTo(const DepotKind& kind, std::ostream* out) { *out << kind.name; }

class Crash : public testing::TestWithParam<DepotKind> {
 protected:
  const DepotMaker make_ = GetParam().make;
};

TEST_P(Crash, AtEveryPointOfARun) {
  Tally tally(GetParam().name + ", every point of a run", make_);
  MemoryDisk disk;
  Notary notary;
  CutAtEveryPoint(disk, notary, tally);
  {
    std::unique_ptr<Depot> depot = make_(disk, 1);
    EXPECT_THAT(RunWorkload(*depot, notary, {.steps = 110}), testing::IsEmpty());
  }
  EXPECT_GT(tally.points(), 500 / kStride);
}

TEST_P(Crash, AtEveryPointOfARunWithThreads) {
  Tally tally(GetParam().name + ", every point of a run with threads", make_);
  MemoryDisk disk;
  Notary notary;
  CutAtEveryPoint(disk, notary, tally);
  {
    std::unique_ptr<Depot> depot = make_(disk, 1);
    std::vector<std::thread> threads;
    for (uint64_t t = 0; t < 3; ++t) {
      threads.emplace_back([&, t] {
        WorkloadPlan plan{.seed = 10 + t, .steps = 30, .prefix = std::to_string(t) + "-"};
        plan.counts = t == 0;
        EXPECT_THAT(RunWorkload(*depot, notary, plan), testing::IsEmpty());
      });
    }
    for (std::thread& thread : threads) thread.join();
  }
  EXPECT_GT(tally.points(), 300 / kStride);
}

// The restart after a crash is a run like any other and may be cut off itself.
TEST_P(Crash, AtEveryPointOfARestart) {
  constexpr int64_t kRestartEvery = 7;
  Tally tally(GetParam().name + ", every point of a restart", make_);
  MemoryDisk first;
  Notary notary;
  first.Watch([&](const MemoryDisk::Moment& moment) {
    if (moment.call() % kRestartEvery != 0) return;
    Notary promised(notary.Copy());
    std::unique_ptr<MemoryDisk> second =
        moment.AfterCrash(Loss::kTorn, static_cast<uint64_t>(moment.call()));
    CutAtEveryPoint(*second, promised, tally);
    std::unique_ptr<Depot> second_life = make_(*second, 2);
    second_life->Sweep();
    RunWorkload(*second_life, promised, {.seed = 4, .steps = 3, .prefix = "second-"});
    second->Watch(nullptr);
  });
  std::unique_ptr<Depot> first_life = make_(first, 1);
  EXPECT_THAT(RunWorkload(*first_life, notary, {.seed = 2, .steps = 40}), testing::IsEmpty());
  first.Watch(nullptr);
  EXPECT_GT(tally.points(), 0);
}

struct Faults {
  std::optional<int64_t> stop_at;
  std::optional<int64_t> fail_at;
  Error failure;
};

// The recorded run with faults; the number of changes it made. What it leaves is looked at.
int64_t RunWithFaults(const DepotMaker& make, const Faults& faults, const std::string& where,
                      Tally& tally) {
  MemoryDisk disk;
  if (faults.stop_at) disk.StopAt(*faults.stop_at);
  if (faults.fail_at) disk.FailAt(*faults.fail_at, faults.failure);
  Notary notary;
  try {
    std::unique_ptr<Depot> depot = make(disk, 1);
    std::vector<std::string> failures = RunWorkload(*depot, notary, {.seed = 3, .steps = 40});
    if (!faults.stop_at && !faults.fail_at) {
      EXPECT_THAT(failures, testing::IsEmpty());
    }
  } catch (const Failure&) {
    // It could not even start; what it left must still be fit to start on.
  }
  int64_t calls = disk.calls();
  tally.Point();
  for (Loss loss : {Loss::kNothing, Loss::kUnsynced}) {
    std::unique_ptr<MemoryDisk> after = disk.AfterCrash(loss);
    tally.Look(*after, notary.Copy(), where, Depth::kOneLife);
  }
  return calls;
}

TEST_P(Crash, WithADiskThatStopsAtAnyPoint) {
  Tally tally(GetParam().name + ", a disk that stops", make_);
  int64_t calls = RunWithFaults(make_, {}, "whole", tally);
  EXPECT_EQ(RunWithFaults(make_, {}, "whole again", tally), calls) << "a recorded run repeats";
  for (int64_t call = 1; call <= calls; call += kStride) {
    RunWithFaults(make_, {.stop_at = call}, "stopped at " + std::to_string(call), tally);
  }
}

TEST_P(Crash, WithAnyCallThatFails) {
  Tally tally(GetParam().name + ", a call that fails", make_);
  int64_t calls = RunWithFaults(make_, {}, "whole", tally);
  for (int64_t call = 1; call <= calls; call += kStride) {
    std::string where = "at call " + std::to_string(call);
    RunWithFaults(make_, {.fail_at = call, .failure = {Code::kInternal, "", "input/output error"}},
                  "I/O error " + where, tally);
    RunWithFaults(make_, {.fail_at = call, .failure = {Code::kExhausted, "", "no space"}},
                  "no space " + where, tally);
  }
}

INSTANTIATE_TEST_SUITE_P(Depots, Crash,
                         testing::Values(DepotKind{"Plain", MakePlainDepot},
                                         DepotKind{"Storage", MakeStorageDepot}),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace fireweed::crash
