#include "compute/stop_all.h"

#include "compute/group_records.h"
#include "compute/instance_change.h"

namespace fireweed::compute {
namespace {

// Rows are put back while they are read: each page is complete before its rows change.
template <class Record, class Change>
int ChangeAll(Txn& txn, const Change& change) {
  int changed = 0;
  ScanRange range;
  while (true) {
    auto rows = txn.Scan<Record>(range);
    if (rows.empty()) return changed;
    range.after = rows.back().key;
    for (auto& row : rows) {
      if (!change(row.value)) continue;
      txn.Put(row.key, row.value);
      ++changed;
    }
  }
}

}  // namespace

int StopAllInstances(Txn& txn) {
  ChangeAll<GroupRecord>(txn, [](GroupRecord& group) {
    if (group.target() == 0) return false;
    group.resource.targetSize = 0;
    return true;
  });
  return ChangeAll<InstanceRecord>(txn, [](InstanceRecord& instance) {
    bool runs =
        instance.want == InstanceWant::kRunning || instance.want == InstanceWant::kSuspended;
    if (runs) Wish(instance, InstanceWant::kStopped);
    return runs;
  });
}

}  // namespace fireweed::compute
