// What for: tells whoever waits for an operation (a long poll) that it has ended, without a thread
//   per waiter.
// Who calls: When and Forget any thread; callbacks run on the control thread, or on When's own when
//   the operation has ended already. They must be quick and may not block.
// Owns: the callbacks, each until it has run or was forgotten.
// A failure: When throws what Catalog::Read throws, and then the callback is not kept.
//
// It is a controller of operation records: the commit that ends one wakes it.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <mutex>

#include "control/controller.h"
#include "control/operations.h"

namespace fireweed {

class OperationWaiters final : public Controller {
 public:
  explicit OperationWaiters(const Catalog& catalog) : catalog_(catalog) {}

  using Ticket = uint64_t;
  // Runs `then` once, when the operation with this key has ended or is no longer known.
  Ticket When(const Key& operation, std::function<void()> then);
  // Drops the callback, if it has not begun to run. A waiter that gave up calls this.
  void Forget(Ticket ticket);
  size_t size() const;

  std::string_view kind() const override { return kRecordKind<Operation>; }
  std::optional<Time> Reconcile(const Key& key) override;
  std::optional<std::vector<Key>> start_keys() const override { return std::vector<Key>(); }

 private:
  bool Ended(const Key& operation) const;
  void RunCallbacks(const Key& operation);

  const Catalog& catalog_;
  mutable std::mutex mu_;
  Ticket last_ticket_ = 0;                                               // guarded by mu_
  std::map<Key, std::map<Ticket, std::function<void()>>> by_operation_;  // guarded by mu_
  std::map<Ticket, Key> by_ticket_;                                      // guarded by mu_
};

}  // namespace fireweed
