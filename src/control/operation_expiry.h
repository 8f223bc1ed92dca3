// Forgets operations some time after they have ended, a few at a time. A controller without objects:
// it looks when it is started and once an hour.
#pragma once

#include "control/controller.h"
#include "control/operations.h"

namespace fireweed {

class OperationExpiry final : public Controller {
 public:
  static constexpr Duration kKeep = std::chrono::days(14);
  static constexpr Duration kEvery = std::chrono::hours(1);
  static constexpr int kAtOnce = 200;  // per transaction, so that nobody waits behind it

  OperationExpiry(Catalog& catalog, const Clock& clock) : catalog_(catalog), clock_(clock) {}

  std::string_view kind() const override { return "operation-expiry"; }
  std::optional<std::vector<Key>> start_keys() const override { return std::vector<Key>{""}; }
  std::optional<Time> Reconcile(const Key& key) override;

 private:
  Catalog& catalog_;
  const Clock& clock_;
};

}  // namespace fireweed
