#include "bin/sweeper.h"

#include "base/error.h"

namespace fireweed {

Sweeper::Sweeper(std::vector<Chore> chores, std::chrono::minutes every, Logger& log)
    : chores_(std::move(chores)), every_(every), log_(log), thread_([this] { Run(); }) {}

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
    RunChores();
    lock.lock();
    changed_.wait_for(lock, every_, [this] { return stop_; });
  }
}

void Sweeper::RunChores() {
  for (const Chore& chore : chores_) {
    try {
      chore.run();
    } catch (const Failure& failure) {
      log_.Error("chore failed", {{"chore", chore.name}, {"error", failure.error().message}});
    }
  }
}

}  // namespace fireweed
