// What for: whether what may come within microseconds is worth looking for, or is to be waited for asleep. Being woken
//   costs more than the looks where it comes that soon; what did not come that soon lately is looked for only now and then.
// Threads: any. Never blocks, never fails.
#pragma once

#include <atomic>
#include <cstdint>

namespace fireweed::net {

class Looking {
 public:
  bool IsWorthIt() const {
    uint32_t misses = misses_.load(std::memory_order_relaxed);
    return misses < kMostMisses || misses % kTryAgain == 0;
  }
  // What came of it; without a look, nothing.
  void Looked(bool found) {
    if (found) return misses_.store(0, std::memory_order_relaxed);
    misses_.fetch_add(1, std::memory_order_relaxed);
  }

 private:
  static constexpr uint32_t kMostMisses = 4;  // in a row, until it counts as slow
  static constexpr uint32_t kTryAgain = 32;   // what is slow is looked for every so many times

  std::atomic<uint32_t> misses_{0};  // in a row
};

}  // namespace fireweed::net
