#include "logs/log_pollers.h"

#include <gtest/gtest.h>

#include "base/sim_clock.h"

namespace fireweed::logs {
namespace {

using std::chrono::seconds;

TEST(LogPollersTest, APollerIsBehindUntilItHasReadUpToTheEnd) {
  SimClock clock;
  LogPollers pollers(clock);
  Time end = clock.Now() + seconds(100);
  clock.JumpTo(end - seconds(2));
  pollers.Note("ann", "p/j", clock.Now() - seconds(5));
  clock.JumpTo(end + seconds(1));
  EXPECT_TRUE(pollers.IsBehind("ann", "p/j", end));
  EXPECT_FALSE(pollers.IsBehind("bob", "p/j", end)) << "does not poll";
  EXPECT_FALSE(pollers.IsBehind("ann", "p/other", end));
  pollers.Note("ann", "p/j", clock.Now() - seconds(5));
  EXPECT_TRUE(pollers.IsBehind("ann", "p/j", end)) << "the last lines are too young for it";
  clock.JumpTo(end + seconds(6));
  pollers.Note("ann", "p/j", clock.Now() - seconds(5));
  EXPECT_FALSE(pollers.IsBehind("ann", "p/j", end));
}

TEST(LogPollersTest, WaitsForOneThatPollsRarelyButNotForever) {
  SimClock clock;
  LogPollers pollers(clock);
  Time end = clock.Now() + seconds(1);
  pollers.Note("ann", "p/j", clock.Now() - seconds(5));
  clock.JumpTo(end + seconds(59));
  EXPECT_TRUE(pollers.IsBehind("ann", "p/j", end)) << "gcloud's default interval is a minute";
  clock.JumpTo(end + LogPollers::kPatience);
  EXPECT_FALSE(pollers.IsBehind("ann", "p/j", end)) << "it is gone";
}

TEST(LogPollersTest, AReadOfThePastIsNotAPoll) {
  SimClock clock;
  LogPollers pollers(clock);
  pollers.Note("ann", "p/j", clock.Now() - std::chrono::minutes(10));
  EXPECT_FALSE(pollers.IsBehind("ann", "p/j", clock.Now()));
}

}  // namespace
}  // namespace fireweed::logs
