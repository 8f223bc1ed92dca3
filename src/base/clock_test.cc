#include "base/clock.h"

#include <gtest/gtest.h>

#include "base/ids.h"
#include "base/sim_clock.h"

namespace fireweed {
namespace {

TEST(Time, FormatsAndParses) {
  Time t = *ParseTime("2026-11-15T07:08:09.123456789Z");
  EXPECT_EQ(FormatTime(t, 9), "2026-11-15T07:08:09.123456789Z");
  EXPECT_EQ(FormatTime(t), "2026-11-15T07:08:09.123Z");
  EXPECT_EQ(FormatTime(t, 0), "2026-11-15T07:08:09Z");
  EXPECT_EQ(FormatHttpDate(t), "Sun, 15 Nov 2026 07:08:09 GMT");
  EXPECT_EQ(ParseTime("2026-11-15T09:08:09.123456789+02:00"), t);
  EXPECT_EQ(ParseTime("2026-11-15T07:08:09.123456789+0000"), t);
}

TEST(Time, KeepsToWhatItCanHold) {
  EXPECT_EQ(FormatTime(*ParseTime("0001-01-01T00:00:00Z"), 0), "1678-01-01T00:00:00Z");
  EXPECT_EQ(FormatTime(*ParseTime("9999-12-31T23:59:59Z"), 0), "2261-12-31T00:00:00Z");
  EXPECT_EQ(FormatTime(*ParseTime("2261-12-31T23:59:60+23:59"), 0), "2261-12-31T00:01:00Z");
}

TEST(Time, RefusesWhatIsNoTime) {
  for (const char* bad : {"", "2026-11-15", "2026-13-15T07:08:09Z", "2026-02-30T07:08:09Z",
                          "2026-11-15T25:08:09Z", "2026-11-15T07:08:09", "2026-11-15T07:08:09.Z",
                          "2026-11-15T07:08:09+1", "x026-11-15T07:08:09Z"}) {
    EXPECT_FALSE(ParseTime(bad)) << bad;
  }
}

// A clock that goes back, as after an NTP step.
class BackwardsClock final : public Clock {
 public:
  Time Now() const override { return FromMicros(--micros_); }

 private:
  mutable int64_t micros_ = 1'800'000'000'000'000;
};

TEST(MonotonicTime, NeverRepeatsWhenTheClockStepsBack) {
  BackwardsClock clock;
  MonotonicTime time(clock);
  Time last = time.Next();
  for (int i = 0; i < 1000; ++i) {
    Time next = time.Next();
    EXPECT_GT(next, last);
    last = next;
  }
}

TEST(Ids, GrowAndDiffer) {
  SimClock clock;
  SeededRandom random(1);
  IdSource ids(clock, random);
  int64_t number = 0;
  std::string word;
  for (int i = 0; i < 1000; ++i) {
    int64_t next = ids.NextNumber();
    EXPECT_GT(next, number);
    number = next;
    std::string next_word = ids.NextWord();
    EXPECT_EQ(next_word.size(), 26u);
    EXPECT_GT(next_word, word);
    word = next_word;
  }
}

}  // namespace
}  // namespace fireweed
