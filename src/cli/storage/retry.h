// Trying again what may work the next time: a server that restarts, a connection that broke.
// Threads: any. May block: in the pauses, which Stop ends at once.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>

#include "base/error.h"

namespace fireweed::cli {

// Ends the waits of many threads: one of them has failed and the others need not go on.
class StopSignal {
 public:
  void Stop();
  bool stopped() const;
  // True when stopped within the time.
  bool WaitFor(std::chrono::milliseconds time);

 private:
  mutable std::mutex mu_;
  std::condition_variable changed_;
  bool stopped_ = false;  // guarded by mu_
};

bool IsTransient(const Error& error);

// Runs `step` until it succeeds, fails for good, or has failed `kAttempts` times in a row; the last failure is
// thrown. `step` may reset the count by returning progress through `moved`: a transfer that creeps on is not given up.
class Retry {
 public:
  explicit Retry(StopSignal& stop) : stop_(stop) {}

  template <class Step>
  auto Run(Step&& step) {
    while (true) {
      try {
        return step();
      } catch (const Failure& failure) {
        Pause(failure);
      }
    }
  }
  void Moved() { failures_ = 0; }

 private:
  // Throws `failure` when there is no point in going on.
  void Pause(const Failure& failure);

  static constexpr int kAttempts = 6;
  StopSignal& stop_;
  int failures_ = 0;
};

}  // namespace fireweed::cli
