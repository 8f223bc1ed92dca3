#include "control/operation_expiry.h"

namespace fireweed {

std::optional<Time> OperationExpiry::Reconcile(const Key&) {
  Time now = clock_.Now();
  int forgotten = Update(
      catalog_, "operation expiry",
      [&](Txn& txn) { return ForgetEnded(txn, now - kKeep, kAtOnce); }, Lane::kBulk);
  // More of them wait: the next turn comes at once, after whatever else is due.
  return forgotten == kAtOnce ? now : now + kEvery;
}

}  // namespace fireweed
