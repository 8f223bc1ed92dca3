#include "compute/instance_change.h"

#include <fmt/format.h>

#include "compute/operations_service.h"

namespace fireweed::compute {

std::string InstancePath(std::string_view project, std::string_view zone, std::string_view name) {
  return fmt::format("projects/{}/zones/{}/instances/{}", project, zone, name);
}

InstanceRecord FindInstance(Txn& txn, const std::string& project, const std::string& zone,
                            const std::string& name) {
  auto row = txn.Find<InstanceRecord>(project + "/" + zone + "/" + name);
  if (!row) {
    throw Failure(Code::kNotFound, fmt::format("The resource '{}' was not found",
                                               InstancePath(project, zone, name)));
  }
  return std::move(row->value);
}

void RefuseUnready(const InstanceRecord& record) {
  throw Failure(Code::kInvalid, "resourceNotReady",
                fmt::format("The resource '{}' is not ready",
                            InstancePath(record.project, record.zone, record.resource.name)));
}

void RefuseDoomed(const InstanceRecord& record) {
  if (record.want == InstanceWant::kGone) RefuseUnready(record);
}

void Wish(InstanceRecord& record, InstanceWant want) {
  record.want = want;
  ++record.generation;
  record.backoff = {};
  record.last_error.reset();
}

api::compute::Operation ChangeStoredInstance(Catalog& catalog, IdSource& ids, Time now,
                                             const net::Caller& caller, const InstanceVerb& verb,
                                             const InstanceChange& change) {
  return ChangeStoredInstance(
      catalog, ids, now, caller, verb,
      InstanceTxnChange([&](Txn&, InstanceRecord& record) { return change(record); }));
}

api::compute::Operation ChangeStoredInstance(Catalog& catalog, IdSource& ids, Time now,
                                             const net::Caller& caller, const InstanceVerb& verb,
                                             const InstanceTxnChange& change) {
  Key key = verb.project + "/" + verb.zone + "/" + verb.name;
  Operation operation =
      NewOperation(ids, {verb.project, "zones/" + verb.zone, kRecordKind<InstanceRecord>, key, 0},
                   verb.verb, verb.request_id, caller);
  Operation begun = Update(catalog, "instance " + verb.verb, [&](Txn& txn) {
    if (auto earlier = FindRetried(txn, operation)) return *earlier;
    const InstanceRecord before = FindInstance(txn, verb.project, verb.zone, verb.name);
    InstanceRecord record = before;
    Operation fresh = operation;
    fresh.target_id = before.resource.id;
    if (!change(txn, record)) fresh.ended = now;
    if (auto over = verb.limit ? verb.limit(txn, before, record) : std::nullopt) {
      fresh.ended = now;
      fresh.error = OperationError::From(*over);
      return Begin(txn, fresh, now);
    }
    fresh.target_version = record.generation;
    txn.Put(key, record);
    return Begin(txn, fresh, now);
  });
  return ShowOperation(begun);
}

}  // namespace fireweed::compute
