#include "control/action_pool.h"

#include <atomic>
#include <future>
#include <latch>
#include <stdexcept>
#include <thread>

#include <gtest/gtest.h>

#include "base/sim_clock.h"
#include "catalog/memory_catalog.h"
#include "control/control_thread.h"

namespace fireweed {
namespace {

class CountingController final : public Controller {
 public:
  std::string_view kind() const override { return "thing"; }
  std::optional<Time> Reconcile(const Key& key) override { return on_reconcile(key); }
  std::function<std::optional<Time>(const Key&)> on_reconcile = [](const Key&) {
    return std::nullopt;
  };
};

class ActionPoolTest : public ::testing::Test {
 protected:
  ActionPoolTest() : loop_(catalog_, clock_, logger_) { loop_.Add(things_); }
  MemoryCatalog catalog_;
  SimClock clock_;
  NullLogger logger_;
  ControlLoop loop_;
  CountingController things_;
};

TEST_F(ActionPoolTest, OneActionPerKeyAtATime) {
  std::promise<void> begun, go, other;  // before the pool: its actions use them until it is gone
  ThreadActionPool pool(4, loop_);
  ASSERT_TRUE(pool.Submit("thing", "a", [&] {
    begun.set_value();
    go.get_future().wait();
  }));
  begun.get_future().wait();
  EXPECT_FALSE(pool.Submit("thing", "a", [] { FAIL(); }));
  EXPECT_TRUE(pool.Submit("thing", "b", [&] { other.set_value(); }));
  other.get_future().wait();
  go.set_value();
}

TEST_F(ActionPoolTest, NeverMoreActionsThanThreads) {
  std::atomic<int> running = 0, most = 0;
  std::latch done(50);
  ThreadActionPool pool(3, loop_);
  for (int i = 0; i < 50; ++i) {
    pool.Submit("thing", std::to_string(i), [&] {
      int now = ++running, before = most.load();
      while (before < now && !most.compare_exchange_weak(before, now)) {
      }
      --running;
      done.count_down();
    });
  }
  done.wait();
  EXPECT_LE(most.load(), 3);
}

TEST_F(ActionPoolTest, StopDropsWhatHasNotBegunAndWaitsForTheRest) {
  ThreadActionPool pool(1, loop_);
  std::promise<void> begun;
  std::atomic<bool> ended = false;
  std::promise<void> go;
  pool.Submit("thing", "a", [&] {
    begun.set_value();
    go.get_future().wait();
    ended = true;
  });
  begun.get_future().wait();
  pool.Submit("thing", "b", [] { FAIL(); });
  std::thread stopper([&] { pool.Stop(); });
  // Refused means that Stop has begun; what is taken until then is dropped as well.
  for (int i = 0; pool.Submit("thing", std::to_string(i), [] { FAIL(); }); ++i) {
    std::this_thread::yield();
  }
  go.set_value();
  stopper.join();
  EXPECT_TRUE(ended);
  EXPECT_FALSE(pool.Submit("thing", "c", [] { FAIL(); }));
}

// The record of an action wakes its key before the pool has freed it; the key must get another turn
// all the same.
TEST(ActionPoolAndLoop, ABusyKeyIsLookedAtAgain) {
  MemoryCatalog catalog;
  SystemClock clock;
  NullLogger logger;
  ControlLoop loop(catalog, clock, logger);
  CountingController things;
  loop.Add(things);
  ThreadActionPool pool(2, loop);
  constexpr int kSteps = 300;
  std::promise<void> done;
  std::atomic<int> steps = 0;
  things.on_reconcile = [&](const Key& key) -> std::optional<Time> {
    if (steps.load() == kSteps) return std::nullopt;
    pool.Submit("thing", key, [&, key] {
      int step = ++steps;
      catalog.Write("record",
                    [&](Txn& txn) { txn.PutRaw("thing", key, std::to_string(step), {}); });
      if (step == kSteps) done.set_value();
    });
    return std::nullopt;
  };
  ControlThread thread(loop, pool, logger);
  catalog.Write("intent", [](Txn& txn) { txn.PutRaw("thing", "a", "", {}); });
  done.get_future().wait();
}

TEST_F(ActionPoolTest, AnActionThatThrowsIsTriedAgainLater) {
  QueuedActionPool pool(loop_);
  int tries = 0;
  std::vector<Time> when;
  things_.on_reconcile = [&](const Key& key) -> std::optional<Time> {
    if (tries < 4) {
      pool.Submit("thing", key, [&] {
        when.push_back(clock_.Now());
        if (++tries < 4) throw std::runtime_error("world is away");
      });
    }
    return std::nullopt;
  };
  loop_.Wake("thing", "a");
  while (true) {
    std::optional<Time> next = loop_.RunDue();
    if (pool.size() > 0) {
      EXPECT_FALSE(pool.Submit("thing", "a", [] {}));
      pool.Run(0);
    } else if (next) {
      clock_.JumpTo(*next);
    } else {
      break;
    }
  }
  ASSERT_EQ(when.size(), 4u);
  EXPECT_GT(when[2] - when[1], when[1] - when[0]);
}

}  // namespace
}  // namespace fireweed
