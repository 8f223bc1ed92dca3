#include "control/operation_waiters.h"

#include <utility>

namespace fireweed {

OperationWaiters::Ticket OperationWaiters::When(const Key& operation, std::function<void()> then) {
  Ticket ticket;
  {
    std::lock_guard lock(mu_);
    ticket = ++last_ticket_;
    by_operation_[operation].emplace(ticket, std::move(then));
    by_ticket_.emplace(ticket, operation);
  }
  // Kept first, looked at second: an end in between is seen by the one or the other.
  try {
    if (Ended(operation)) RunCallbacks(operation);
  } catch (...) {
    Forget(ticket);
    throw;
  }
  return ticket;
}

void OperationWaiters::Forget(Ticket ticket) {
  std::function<void()> dropped;  // destroyed after the lock
  std::lock_guard lock(mu_);
  auto known = by_ticket_.find(ticket);
  if (known == by_ticket_.end()) return;
  auto waiters = by_operation_.find(known->second);
  dropped = std::move(waiters->second.at(ticket));
  waiters->second.erase(ticket);
  if (waiters->second.empty()) by_operation_.erase(waiters);
  by_ticket_.erase(known);
}

size_t OperationWaiters::size() const {
  std::lock_guard lock(mu_);
  return by_ticket_.size();
}

std::optional<Time> OperationWaiters::Reconcile(const Key& key) {
  {
    std::lock_guard lock(mu_);
    if (!by_operation_.contains(key)) return std::nullopt;
  }
  if (Ended(key)) RunCallbacks(key);
  return std::nullopt;
}

bool OperationWaiters::Ended(const Key& operation) const {
  auto row = Query(catalog_, [&](Txn& txn) { return txn.Find<Operation>(operation); });
  return !row || row->value.ended.has_value();
}

void OperationWaiters::RunCallbacks(const Key& operation) {
  std::map<Ticket, std::function<void()>> callbacks;
  {
    std::lock_guard lock(mu_);
    auto waiters = by_operation_.find(operation);
    if (waiters == by_operation_.end()) return;
    callbacks = std::move(waiters->second);
    by_operation_.erase(waiters);
    for (const auto& [ticket, then] : callbacks) by_ticket_.erase(ticket);
  }
  for (const auto& [ticket, then] : callbacks) then();
}

}  // namespace fireweed
