// What for: ends the operation of a bulk insert when those of its instances have ended; with too few instances the
//   others are deleted, as the original does.
// Who calls: the control loop.
#pragma once

#include "base/clock.h"
#include "base/ids.h"
#include "compute/bulk_record.h"
#include "control/controller.h"

namespace fireweed::compute {

class BulkController final : public Controller {
 public:
  BulkController(Catalog& catalog, IdSource& ids, const Clock& clock)
      : catalog_(catalog), ids_(ids), clock_(clock) {}

  std::string_view kind() const override { return kRecordKind<BulkRecord>; }
  std::optional<Time> Reconcile(const Key& key) override;
  std::vector<std::string_view> also_watches() const override;
  std::vector<Key> Concerns(std::string_view kind, const Key& key) override;

 private:
  void End(Txn& txn, const BulkRecord& bulk);

  Catalog& catalog_;
  IdSource& ids_;
  const Clock& clock_;
};

}  // namespace fireweed::compute
