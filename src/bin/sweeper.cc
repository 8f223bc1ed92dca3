#include "bin/sweeper.h"

namespace fireweed {

Sweeper::Sweeper(storage::StorageService& storage, std::chrono::minutes every, Logger& log)
    : storage_(storage), every_(every), log_(log), thread_([this] { Run(); }) {}

Sweeper::~Sweeper() {
  {
    std::lock_guard lock(mu_);
    stop_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void Sweeper::Run() {
  std::unique_lock lock(mu_);
  while (!stop_) {
    lock.unlock();
    SweepOnce();
    lock.lock();
    changed_.wait_for(lock, every_, [this] { return stop_; });
  }
}

void Sweeper::SweepOnce() {
  try {
    SweepReport report = storage_.Sweep();
    if (report.dropped_blobs + report.dropped_drafts + report.failed == 0) return;
    log_.Info("storage swept", {{"blobs", report.dropped_blobs},
                                {"drafts", report.dropped_drafts},
                                {"failed", report.failed}});
  } catch (const Failure& failure) {
    log_.Error("storage sweep failed", {{"error", failure.error().message}});
  }
}

}  // namespace fireweed
