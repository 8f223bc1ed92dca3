#include "bin/scrubber.h"

namespace fireweed {
namespace {

constexpr std::chrono::hours kEvery{24};

}  // namespace

Scrubber::Scrubber(storage::Scrub& scrub, int mb_per_second, Logger& log)
    : scrub_(scrub), mb_per_second_(mb_per_second), log_(log) {
  if (mb_per_second_ > 0) thread_ = std::thread([this] { Run(); });
}

Scrubber::~Scrubber() {
  {
    std::lock_guard lock(mu_);
    stop_ = true;
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void Scrubber::Run() {
  std::unique_lock lock(mu_);
  while (!stop_) {
    lock.unlock();
    PassOnce();
    lock.lock();
    changed_.wait_for(lock, kEvery, [this] { return stop_; });
  }
}

void Scrubber::PassOnce() {
  try {
    if (!scrub_.Pass([this](int64_t bytes) { return Pace(bytes); })) return;
    storage::ScrubCounters counters = scrub_.counters();
    log_.Info(
        "storage scrubbed",
        {{"objects", counters.objects}, {"bytes", counters.bytes}, {"damaged", counters.damaged}});
  } catch (const Failure& failure) {
    log_.Error("storage scrub failed", {{"error", failure.error().message}});
  }
}

bool Scrubber::Pace(int64_t bytes) {
  std::chrono::microseconds due(bytes / mb_per_second_);  // a byte at 1 MB/s is a microsecond
  std::unique_lock lock(mu_);
  if (due.count() == 0) return !stop_;
  return !changed_.wait_for(lock, due, [this] { return stop_; });
}

}  // namespace fireweed
