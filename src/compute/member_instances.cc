#include "compute/member_instances.h"

#include <fmt/format.h>

#include "compute/instance_change.h"
#include "compute/instance_disks.h"
#include "compute/operations_service.h"

namespace fireweed::compute {

InstanceRecord MakeMember(Txn& txn, const api::compute::InsertInstance& request,
                          const InsertContext& context, const MemberTerms& terms, IdSource& ids) {
  Key key = request.project + "/" + request.zone + "/" + request.body.name;
  if (txn.Find<InstanceRecord>(key)) {
    throw Failure(Code::kExists, "alreadyExists",
                  fmt::format("The resource '{}' already exists",
                              InstancePath(request.project, request.zone, request.body.name)));
  }
  InstanceRecord record = MakeInstance(txn, request, context);
  record.group = terms.group;
  if (std::optional<Error> over = OverQuota(txn, record, context.catalogue, terms.quotas)) {
    throw Failure(*over);
  }
  AttachDisks(txn, record, ids, context.now);
  txn.Put(key, record, 0);
  Begin(txn, SystemOperation(ids, record, "insert"), context.now);
  return record;
}

void MarkGone(Txn& txn, InstanceRecord record, std::string verb, IdSource& ids, Time now) {
  if (record.want == InstanceWant::kGone) return;
  Wish(record, InstanceWant::kGone);
  txn.Put(record.key(), record);
  Begin(txn, SystemOperation(ids, record, std::move(verb)), now);
}

}  // namespace fireweed::compute
