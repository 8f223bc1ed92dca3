#include "control/control_loop.h"

#include <future>
#include <map>
#include <stdexcept>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/sim_clock.h"
#include "catalog/memory_catalog.h"
#include "control/action_pool.h"
#include "control/control_thread.h"

namespace fireweed {
namespace {

using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

class ScriptedController final : public Controller {
 public:
  explicit ScriptedController(std::string kind) : kind_(std::move(kind)) {}
  std::string_view kind() const override { return kind_; }
  std::optional<Time> Reconcile(const Key& key) override {
    seen.push_back(key);
    return on_reconcile ? on_reconcile(key) : std::nullopt;
  }
  std::vector<std::string_view> also_watches() const override { return watches; }
  std::vector<Key> Concerns(std::string_view kind, const Key& key) override {
    return on_concerns(kind, key);
  }
  std::vector<Key> TakeSeen() { return std::exchange(seen, {}); }

  std::vector<Key> seen;
  std::function<std::optional<Time>(const Key&)> on_reconcile;
  std::vector<std::string_view> watches;
  std::function<std::vector<Key>(std::string_view, const Key&)> on_concerns;

 private:
  std::string kind_;
};

class ControlLoopTest : public ::testing::Test {
 protected:
  ControlLoopTest() : loop_(catalog_, clock_, logger_), things_("thing") { loop_.Add(things_); }

  void Put(std::string_view key, std::string_view kind = "thing") {
    catalog_.Write("test", [&](Txn& txn) { txn.PutRaw(kind, key, "", {}); });
  }

  MemoryCatalog catalog_;
  SimClock clock_;
  NullLogger logger_;
  ControlLoop loop_;
  ScriptedController things_;
};

TEST_F(ControlLoopTest, ACommitWakesItsKeyOnceHoweverOften) {
  Put("b");
  Put("a");
  Put("b");
  Put("x", "other");
  EXPECT_EQ(loop_.RunDue(), std::nullopt);
  EXPECT_THAT(things_.TakeSeen(), ElementsAre("b", "a"));
  EXPECT_EQ(loop_.RunDue(), std::nullopt);
  EXPECT_THAT(things_.TakeSeen(), IsEmpty());
}

TEST_F(ControlLoopTest, AnEraseWakesToo) {
  Put("a");
  loop_.RunDue();
  catalog_.Write("test", [](Txn& txn) { txn.EraseRaw("thing", "a"); });
  loop_.RunDue();
  EXPECT_THAT(things_.TakeSeen(), ElementsAre("a", "a"));
}

TEST_F(ControlLoopTest, LooksAgainWhenAsked) {
  Time start = clock_.Now();
  things_.on_reconcile = [&](const Key&) -> std::optional<Time> {
    if (clock_.Now() >= start + seconds(10)) return std::nullopt;
    return clock_.Now() + seconds(5);
  };
  Put("a");
  int jumps = 0;
  while (auto next = loop_.RunDue()) {
    clock_.JumpTo(*next);
    ++jumps;
  }
  EXPECT_EQ(jumps, 2);
  EXPECT_EQ(clock_.Now(), start + seconds(10));
  EXPECT_EQ(things_.seen.size(), 3u);
}

TEST_F(ControlLoopTest, TheEarlierOfTwoTimesCounts) {
  Time now = clock_.Now();
  loop_.WakeAt("thing", "a", now + seconds(9));
  loop_.WakeAt("thing", "a", now + seconds(3));
  loop_.WakeAt("thing", "a", now + seconds(6));
  EXPECT_EQ(loop_.RunDue(), now + seconds(3));
  loop_.Wake("thing", "a");
  EXPECT_EQ(loop_.RunDue(), std::nullopt);
  EXPECT_THAT(things_.seen, ElementsAre("a"));
}

TEST_F(ControlLoopTest, AWriteInsideReconcileBringsItBack) {
  int rounds = 0;
  things_.on_reconcile = [&](const Key& key) {
    if (++rounds < 5) Put(key);
    return std::optional<Time>();
  };
  Put("a");
  loop_.RunDue();
  EXPECT_EQ(rounds, 5);
}

TEST_F(ControlLoopTest, ABusyKeyDoesNotStarveOthers) {
  things_.on_reconcile = [&](const Key& key) {
    if (key == "a" && things_.seen.size() < 100) Put(key);
    return std::optional<Time>();
  };
  Put("a");
  Put("b");
  loop_.RunDue();
  auto b = std::find(things_.seen.begin(), things_.seen.end(), "b");
  EXPECT_LE(b - things_.seen.begin(), 2);
}

TEST_F(ControlLoopTest, AFailureIsTriedAgainWithGrowingPauses) {
  things_.on_reconcile = [&](const Key&) -> std::optional<Time> {
    if (things_.seen.size() < 5) throw std::runtime_error("not yet");
    return std::nullopt;
  };
  Put("a");
  std::vector<Duration> pauses;
  while (auto next = loop_.RunDue()) {
    pauses.push_back(*next - clock_.Now());
    clock_.JumpTo(*next);
  }
  ASSERT_EQ(pauses.size(), 4u);
  for (size_t i = 1; i < pauses.size(); ++i) EXPECT_GT(pauses[i], pauses[i - 1]);
  EXPECT_LE(pauses[3], seconds(8));
}

TEST_F(ControlLoopTest, KeysThatNeverRestAreBrokenOff) {
  things_.on_reconcile = [&](const Key&) { return std::optional(clock_.Now()); };
  Put("a");
  EXPECT_EQ(loop_.RunDue(), clock_.Now());
  EXPECT_EQ(things_.seen.size(), ControlLoop::kMostRounds + 1);
}

TEST_F(ControlLoopTest, WakeAllShowsWhatIsStored) {
  catalog_.Write("test", [](Txn& txn) {
    for (int i = 0; i < 2500; ++i) txn.PutRaw("thing", std::to_string(i), "", {});
  });
  loop_.RunDue();
  things_.seen.clear();
  loop_.WakeAll();
  loop_.RunDue();
  EXPECT_EQ(things_.seen.size(), 2500u);
}

TEST_F(ControlLoopTest, AGroupIsWokenByItsMembers) {
  ScriptedController groups("group");
  groups.watches = {"thing"};
  bool fail = true;
  groups.on_concerns = [&](std::string_view kind, const Key& key) -> std::vector<Key> {
    EXPECT_EQ(kind, "thing");
    if (std::exchange(fail, false)) throw std::runtime_error("catalog is away");
    return {key.substr(0, 1)};
  };
  loop_.Add(groups);
  Put("g/1");
  Put("g/2");
  Put("h/1");
  while (auto next = loop_.RunDue()) clock_.JumpTo(*next);
  EXPECT_THAT(things_.seen, ElementsAre("g/1", "g/2", "h/1"));
  EXPECT_THAT(groups.seen, ::testing::Contains("g"));
  EXPECT_THAT(groups.seen, ::testing::Contains("h"));
}

TEST_F(ControlLoopTest, CommitsAfterTheLoopIsGoneAreHarmless) {
  MemoryCatalog catalog;
  { ControlLoop loop(catalog, clock_, logger_); }
  catalog.Write("test", [](Txn& txn) { txn.PutRaw("thing", "a", "", {}); });
}

// The production thread: woken by a commit, by a time that comes near, and stopped without delay.
TEST(ControlThread, RunsWhatIsDueUntilItIsStopped) {
  MemoryCatalog catalog;
  SystemClock clock;
  NullLogger logger;
  ControlLoop loop(catalog, clock, logger);
  ThreadActionPool pool(2, loop);
  ScriptedController things("thing");
  std::promise<void> stored, committed, later;
  std::map<Key, int> turns;
  things.on_reconcile = [&](const Key& key) -> std::optional<Time> {
    int turn = ++turns[key];
    if (key == "stored") stored.set_value();
    if (key == "committed" && turn == 1) {
      committed.set_value();
      return clock.Now() + std::chrono::milliseconds(1);
    }
    if (key == "committed" && turn == 2) later.set_value();
    return std::nullopt;
  };
  loop.Add(things);
  catalog.Write("test", [](Txn& txn) { txn.PutRaw("thing", "stored", "", {}); });
  loop.RunDue();
  stored = std::promise<void>();
  ControlThread thread(loop, pool, logger);
  stored.get_future().wait();
  catalog.Write("test", [](Txn& txn) { txn.PutRaw("thing", "committed", "", {}); });
  committed.get_future().wait();
  later.get_future().wait();
}

}  // namespace
}  // namespace fireweed
