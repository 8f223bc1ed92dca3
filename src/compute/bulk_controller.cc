#include "compute/bulk_controller.h"

#include <fmt/format.h>

#include "compute/member_instances.h"
#include "control/operations.h"

namespace fireweed::compute {

std::vector<std::string_view> BulkController::also_watches() const {
  return {kRecordKind<Operation>};
}

std::vector<Key> BulkController::Concerns(std::string_view, const Key& key) {
  auto row = Query(catalog_, [&](Txn& txn) { return txn.Find<Operation>(key); });
  if (!row || row->value.group.empty() || !row->value.ended) return {};
  const std::string& target = row->value.target;  // project/zone/name
  return {target.substr(0, target.rfind('/') + 1) + row->value.group};
}

std::optional<Time> BulkController::Reconcile(const Key& key) {
  catalog_.Write("bulk insert end", [&](Txn& txn) {
    auto row = txn.Find<BulkRecord>(key);
    if (row) End(txn, row->value);
  });
  return std::nullopt;
}

void BulkController::End(Txn& txn, const BulkRecord& bulk) {
  std::vector<Key> made;
  std::optional<Error> error;
  for (const std::string& key : bulk.operations) {
    auto operation = txn.Find<Operation>(key);
    if (!operation) continue;  // forgotten: it ended long ago
    if (!operation->value.ended) return;
    if (operation->value.error) {
      error = operation->value.error->ToError();
    } else {
      made.push_back(operation->value.target);
    }
  }
  Time now = clock_.Now();
  bool enough = static_cast<int64_t>(made.size()) >= bulk.least;
  if (!enough) {
    for (const Key& key : made) {
      if (auto row = txn.Find<InstanceRecord>(key)) MarkGone(txn, row->value, "delete", ids_, now);
    }
  }
  Settle(txn, kRecordKind<BulkRecord>, bulk.key(), 1, enough ? std::nullopt : error, now);
  txn.Erase<BulkRecord>(bulk.key());
}

}  // namespace fireweed::compute
