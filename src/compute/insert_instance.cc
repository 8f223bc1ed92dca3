#include "compute/insert_instance.h"

#include <fmt/format.h>

#include "compute/instance_change.h"
#include "compute/instance_disks.h"

namespace fireweed::compute {

Result<InstanceRecord> InsertInstance(Txn& txn, const NewInstance& instance, IdSource& ids) {
  const api::compute::InsertInstance& request = instance.request;
  Key key = request.project + "/" + request.zone + "/" + request.body.name;
  if (txn.FindRaw(kRecordKind<InstanceRecord>, key)) {
    throw Failure(Code::kExists, "alreadyExists",
                  fmt::format("The resource '{}' already exists",
                              InstancePath(request.project, request.zone, request.body.name)));
  }
  InstanceRecord record = MakeInstance(txn, request, instance.context);
  record.creator = instance.creator;
  record.group = instance.group;
  record.uncharged = instance.ledger == nullptr;
  if (instance.ledger) {
    QuotaDemand demand = DemandOf(record, instance.context.catalogue);
    if (std::optional<Error> over = instance.ledger->Over(demand)) return *over;
    instance.ledger->Add(demand);
  }
  if (instance.complete) instance.complete(record);
  AttachDisks(txn, record, ids, instance.context.now);
  txn.Put(key, record, 0);
  return record;
}

}  // namespace fireweed::compute
