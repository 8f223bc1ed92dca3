// A request that changes an instance: in one transaction the earlier operation of the same request id is found, or
// the change is written together with a new operation. What all verbs of instances share.
//
// Who calls: handlers, on pool threads; throws Failure with Google's words.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "api/compute/operation.h"
#include "base/ids.h"
#include "catalog/catalog.h"
#include "compute/records.h"
#include "net/access.h"

namespace fireweed::compute {

// "projects/P/zones/Z/instances/N", as errors name it.
std::string InstancePath(std::string_view project, std::string_view zone, std::string_view name);

// kNotFound when there is none.
InstanceRecord FindInstance(Txn& txn, const std::string& project, const std::string& zone,
                            const std::string& name);

// The instance is in no state for this: kInvalid, "resourceNotReady".
[[noreturn]] void RefuseUnready(const InstanceRecord& record);
// Nothing is done to an instance that is being deleted.
void RefuseDoomed(const InstanceRecord& record);

// A new wish: failures of earlier ones no longer slow it down.
void Wish(InstanceRecord& record, InstanceWant want);

// What a change does to the record: true when the controller has to act before the operation ends.
using InstanceChange = std::function<bool(InstanceRecord&)>;

// Why a change may not come true; then nothing is written but the operation, which ends with the error.
using InstanceLimit =
    std::function<std::optional<Error>(Txn&, const InstanceRecord& before, const InstanceRecord&)>;

struct InstanceVerb {
  std::string project, zone, name, request_id;
  std::string verb;
  InstanceLimit limit = {};
};
// The same where the change concerns other rows as well.
using InstanceTxnChange = std::function<bool(Txn&, InstanceRecord&)>;
api::compute::Operation ChangeStoredInstance(Catalog& catalog, IdSource& ids, Time now,
                                             const net::Caller& caller, const InstanceVerb& verb,
                                             const InstanceTxnChange& change);
api::compute::Operation ChangeStoredInstance(Catalog& catalog, IdSource& ids, Time now,
                                             const net::Caller& caller, const InstanceVerb& verb,
                                             const InstanceChange& change);

}  // namespace fireweed::compute
