// A value that is costly to compute and may be a little old.
// Threading: any number of threads; one computes, the others wait for it.
// Blocking: as long as the computation takes, when one is due.
#pragma once

#include <algorithm>
#include <functional>
#include <mutex>
#include <optional>

#include "base/clock.h"

namespace fireweed {

template <class T>
class Paced {
 public:
  // Computes at most once per `least`, and spends at most a fiftieth of the time on it.
  Paced(const Clock& clock, Duration least, std::function<T()> compute)
      : clock_(clock), least_(least), compute_(std::move(compute)) {}

  T Get() {
    std::lock_guard lock(mu_);
    Time now = clock_.Now();
    if (value_ && now >= computed_ && now < due_) return *value_;
    value_ = compute_();
    computed_ = now;
    Time end = clock_.Now();
    due_ = end + std::max<Duration>(least_, (end - now) * kRest);
    return *value_;
  }

 private:
  static constexpr int kRest = 50;

  const Clock& clock_;
  const Duration least_;
  const std::function<T()> compute_;
  std::mutex mu_;
  std::optional<T> value_;   // guarded by mu_
  Time computed_{}, due_{};  // guarded by mu_
};

}  // namespace fireweed
