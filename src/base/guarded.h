// A value that cannot be reached without its lock: no lock, no access.
#pragma once

#include <mutex>
#include <utility>

namespace fireweed {

template <class T>
class Guarded {
 public:
  Guarded() = default;
  explicit Guarded(T value) : value_(std::move(value)) {}

  // Runs `body` on the value with the lock held. The body does no I/O and calls no one who might come back.
  template <class Body>
  decltype(auto) With(Body&& body) {
    std::lock_guard lock(mu_);
    return std::forward<Body>(body)(value_);
  }
  template <class Body>
  decltype(auto) With(Body&& body) const {
    std::lock_guard lock(mu_);
    return std::forward<Body>(body)(value_);
  }

 private:
  mutable std::mutex mu_;
  T value_{};  // guarded by mu_
};

}  // namespace fireweed
