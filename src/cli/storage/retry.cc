#include "cli/storage/retry.h"

namespace fireweed::cli {

void StopSignal::Stop() {
  std::lock_guard lock(mu_);
  stopped_ = true;
  changed_.notify_all();
}

bool StopSignal::stopped() const {
  std::lock_guard lock(mu_);
  return stopped_;
}

bool StopSignal::WaitFor(std::chrono::milliseconds time) {
  std::unique_lock lock(mu_);
  return changed_.wait_for(lock, time, [&] { return stopped_; });
}

bool IsTransient(const Error& error) {
  if (error.reason == "quotaExceeded") return false;  // the server's disk is full
  return error.code == Code::kUnavailable || error.code == Code::kExhausted ||
         error.code == Code::kInternal;
}

void Retry::Pause(const Failure& failure) {
  constexpr std::chrono::milliseconds kFirst{200};
  if (!IsTransient(failure.error()) || ++failures_ >= kAttempts) throw failure;
  if (stop_.WaitFor(kFirst * (1 << (failures_ - 1)))) throw failure;
}

}  // namespace fireweed::cli
