// A clock that stands still until it is told to jump: simulations and tests.
#pragma once

#include <atomic>

#include "base/clock.h"

namespace fireweed {

class SimClock final : public Clock {
 public:
  explicit SimClock(Time start = FromMicros(1'700'000'000'000'000)) : now_(start) {}
  Time Now() const override { return now_.load(); }
  // Never backwards: an earlier time is ignored.
  void JumpTo(Time time) {
    if (time > now_.load()) now_ = time;
  }
  void Advance(Duration by) { JumpTo(now_.load() + by); }

 private:
  std::atomic<Time> now_;
};

}  // namespace fireweed
