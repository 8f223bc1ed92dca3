#include "compute/stop_all.h"

#include "compute/group_records.h"
#include "compute/instance_change.h"

namespace fireweed::compute {
namespace {

template <class Record, class Change>
int ChangeAll(Txn& txn, const Change& change) {
  int changed = 0;
  txn.ForEach<Record>({}, [&](Row<Record>& row) {
    if (!change(row.value)) return;
    txn.Put(row.key, row.value);
    ++changed;
  });
  return changed;
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
