#include "logs/news_waiters.h"

#include <algorithm>

#include "base/bytes.h"

namespace fireweed::logs {

namespace {

bool Wants(const NewsWaiters::Wish& wish, const std::string& project, const std::string& job) {
  bool there =
      std::find(wish.projects.begin(), wish.projects.end(), project) != wish.projects.end();
  return there && (!wish.job || EqualIgnoreCase(*wish.job, job));
}

}  // namespace

void NewsWaiters::Add(Wish wish, std::shared_ptr<net::Deferred> waiter,
                      std::function<net::Response()> again) {
  std::lock_guard lock(mu_);
  std::erase_if(waiters_, [](const Waiter& old) { return old.deferred->settled(); });
  waiters_.push_back({std::move(wish), std::move(waiter), std::move(again)});
}

void NewsWaiters::Tell(const std::string& project, const std::string& job) {
  std::vector<Waiter> told;
  {
    std::lock_guard lock(mu_);
    if (waiters_.empty()) return;
    auto rest = std::stable_partition(waiters_.begin(), waiters_.end(), [&](const Waiter& waiter) {
      return !Wants(waiter.wish, project, job);
    });
    told.assign(std::make_move_iterator(rest), std::make_move_iterator(waiters_.end()));
    waiters_.erase(rest, waiters_.end());
  }
  for (Waiter& waiter : told) waiter.deferred->Complete(waiter.again());
}

}  // namespace fireweed::logs
