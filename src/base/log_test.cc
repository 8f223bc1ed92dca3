#include "base/log.h"

#include <gtest/gtest.h>

namespace fireweed {
namespace {

TEST(Log, QuotesOnlyWhatNeedsIt) {
  Time t = *ParseTime("2026-11-15T07:08:09.5Z");
  EXPECT_EQ(
      FormatLogLine(t, LogLevel::kInfo, "instance started", {{"id", 4711}, {"driver", "crun"}}),
      "2026-11-15T07:08:09.500Z info instance started id=4711 driver=crun");
  EXPECT_EQ(FormatLogLine(t, LogLevel::kError, "x", {{"why", "a \"b\"\n\x01"}, {"e", ""}}),
            "2026-11-15T07:08:09.500Z error x why=\"a \\\"b\\\"\\n\\x01\" e=\"\"");
}

}  // namespace
}  // namespace fireweed
