// How much one console may say: a bucket that fills with the time on the console's own marks, so that reading the same
// console again drops the same lines. Pure.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>

#include "base/clock.h"

namespace fireweed::ml {

struct LineLimits {
  int64_t lines_per_second = 250'000;
  int64_t burst_lines = 1'000'000;
  int64_t most_bytes =
      int64_t{2} << 30;  // of one console, for ever, with what the store adds to each line
};

class LineBudget {
 public:
  // Head, times and insert id of a line in the log store, about.
  static constexpr int64_t kPerLine = 80;

  // `taken`: bytes of the console that were read before, by an earlier process.
  explicit LineBudget(const LineLimits& limits, int64_t taken = 0)
      : limits_(limits), lines_(limits.burst_lines), bytes_(taken) {}

  // Whether this line may pass. REQUIRES: times do not go back.
  bool Take(Time time, size_t bytes) {
    Refill(time);
    int64_t all = bytes_ + static_cast<int64_t>(bytes) + kPerLine;
    if (lines_ < 1 || all > limits_.most_bytes) {
      ++dropped_;
      return false;
    }
    --lines_;
    bytes_ = all;
    return true;
  }
  int64_t dropped() const { return dropped_; }
  // Dropped since the last call.
  int64_t TakeDropped() { return std::exchange(dropped_, 0); }

 private:
  void Refill(Time time) {
    if (last_ == Time{}) last_ = time;
    auto passed = std::max<int64_t>(0, (time - last_).count());
    int64_t each = std::max<int64_t>(1, 1'000'000'000 / limits_.lines_per_second);
    int64_t more = passed / each;
    last_ += std::chrono::nanoseconds(more * each);
    lines_ = std::min(lines_ + more, limits_.burst_lines);
  }

  const LineLimits limits_;
  int64_t lines_;
  int64_t bytes_;
  int64_t dropped_ = 0;
  Time last_{};
};

}  // namespace fireweed::ml
