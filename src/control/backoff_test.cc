#include "control/backoff.h"

#include <gtest/gtest.h>

#include "base/sim_clock.h"
#include "describe/json_codec.h"

namespace fireweed {
namespace {

using std::chrono::seconds;

constexpr BackoffRule kPlain{.first = seconds(1), .longest = seconds(60), .factor = 2, .spread = 0};

TEST(Backoff, DoublesUpToTheLongest) {
  struct Case {
    int attempts;
    seconds pause;
  };
  for (Case c : {Case{0, seconds(1)},
                 {1, seconds(1)},
                 {2, seconds(2)},
                 {3, seconds(4)},
                 {6, seconds(32)},
                 {7, seconds(60)},
                 {50, seconds(60)},
                 {2'000'000, seconds(60)}}) {
    EXPECT_EQ(BackoffPause(kPlain, c.attempts, "k"), c.pause) << c.attempts;
  }
}

TEST(Backoff, SpreadsKeysApartButRepeatably) {
  BackoffRule rule = kPlain;
  rule.spread = 0.2;
  Duration a = BackoffPause(rule, 3, "a"), b = BackoffPause(rule, 3, "b");
  EXPECT_NE(a, b);
  EXPECT_EQ(a, BackoffPause(rule, 3, "a"));
  for (int i = 0; i < 1000; ++i) {
    Duration pause = BackoffPause(rule, 3, std::to_string(i));
    EXPECT_LE(pause, seconds(4));
    EXPECT_GE(pause, std::chrono::milliseconds(3200));
  }
}

TEST(Backoff, IsAFieldOfTheRow) {
  SimClock clock;
  Backoff backoff;
  EXPECT_TRUE(MayTry(backoff, clock.Now()));
  backoff = AfterFailure(backoff, kPlain, "k", clock.Now());
  backoff = DecodeJson<Backoff>(EncodeJson(backoff));  // a restart
  EXPECT_FALSE(MayTry(backoff, clock.Now()));
  clock.Advance(seconds(1));
  EXPECT_TRUE(MayTry(backoff, clock.Now()));
  backoff = AfterFailure(backoff, kPlain, "k", clock.Now());
  EXPECT_EQ(backoff.attempts, 2);
  EXPECT_EQ(*backoff.next_try, clock.Now() + seconds(2));
}

}  // namespace
}  // namespace fireweed
