#include "compute/member_instances.h"

#include "compute/instance_change.h"
#include "compute/operations_service.h"

namespace fireweed::compute {

InstanceRecord MakeMember(Txn& txn, const NewInstance& instance, IdSource& ids) {
  InstanceRecord record = InsertInstance(txn, instance, ids).value();
  Begin(txn, SystemOperation(ids, record, "insert"), instance.context.now);
  return record;
}

void MarkGone(Txn& txn, InstanceRecord record, std::string verb, IdSource& ids, Time now) {
  if (record.want == InstanceWant::kGone) return;
  Wish(record, InstanceWant::kGone);
  txn.Put(record.key(), record);
  Begin(txn, SystemOperation(ids, record, std::move(verb)), now);
}

}  // namespace fireweed::compute
