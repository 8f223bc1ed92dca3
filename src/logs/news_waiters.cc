#include "logs/news_waiters.h"

#include <algorithm>

namespace fireweed::logs {

void NewsWaiters::Add(std::vector<std::string> projects, std::shared_ptr<net::Deferred> waiter,
                      std::function<net::Response()> again) {
  std::lock_guard lock(mu_);
  std::erase_if(waiters_, [](const Waiter& old) { return old.deferred->settled(); });
  waiters_.push_back({std::move(projects), std::move(waiter), std::move(again)});
}

void NewsWaiters::Tell(const std::string& project) {
  std::vector<Waiter> told;
  {
    std::lock_guard lock(mu_);
    if (waiters_.empty()) return;
    auto wants = [&](const Waiter& waiter) {
      return std::find(waiter.projects.begin(), waiter.projects.end(), project) !=
             waiter.projects.end();
    };
    auto rest = std::stable_partition(waiters_.begin(), waiters_.end(),
                                      [&](const Waiter& waiter) { return !wants(waiter); });
    told.assign(std::make_move_iterator(rest), std::make_move_iterator(waiters_.end()));
    waiters_.erase(rest, waiters_.end());
  }
  for (Waiter& waiter : told) waiter.deferred->Complete(waiter.again());
}

}  // namespace fireweed::logs
