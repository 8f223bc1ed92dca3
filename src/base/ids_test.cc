#include "base/ids.h"

#include <gtest/gtest.h>

#include "base/sim_clock.h"

namespace fireweed {
namespace {

TEST(IdSource, IdsGrowThoughTheClockStandsStill) {
  SimClock clock;
  SeededRandom random(1);
  IdSource ids(clock, random);
  int64_t number = ids.NextNumber();
  std::string word = ids.NextWord();
  for (int i = 0; i < 100; ++i) {
    int64_t next_number = ids.NextNumber();
    std::string next_word = ids.NextWord();
    EXPECT_GT(next_number, number);
    EXPECT_GT(next_word, word);
    EXPECT_EQ(next_word.size(), 26u);
    number = next_number;
    word = next_word;
  }
}

TEST(IdSource, AWordTellsWhenItWasMade) {
  SimClock clock;
  SeededRandom random(1);
  IdSource ids(clock, random);
  EXPECT_EQ(TimeOfWord(ids.NextWord()), clock.Now());
  for (const char* bad : {"", "x", "00000000000000000000000000a", "0000000000000000000000000",
                          "ffffffffffffffff0000000000", "7fffffffffffffff0000000000",
                          "000000000000000G0000000000", "../../0000000000/0000000000"}) {
    EXPECT_EQ(TimeOfWord(bad), std::nullopt) << bad;
  }
}

}  // namespace
}  // namespace fireweed
