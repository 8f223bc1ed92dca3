// What for: instances made and marked to go by something that is not a request: a group now, a job later. Rows only, in
//   the caller's transaction; the instance controller does the rest.
// Who calls: controllers, on the control thread.
// A failure: Failure with the words a client would get.
#pragma once

#include <string>

#include "api/compute/instance_methods.h"
#include "base/ids.h"
#include "catalog/catalog.h"
#include "compute/instance_request.h"
#include "compute/quota.h"
#include "compute/records.h"

namespace fireweed::compute {

// Whose it is, and what its project may use.
struct MemberTerms {
  Key group;
  const QuotaLimits& quotas;
};

// Stores the instance with its disks and an operation of the system's. kExists when the name is taken,
// QUOTA_EXCEEDED when the project has used up its quota.
InstanceRecord MakeMember(Txn& txn, const api::compute::InsertInstance& request,
                          const InsertContext& context, const MemberTerms& terms, IdSource& ids);

// The instance is to go. `verb`: how its operation is called.
void MarkGone(Txn& txn, InstanceRecord record, std::string verb, IdSource& ids, Time now);

}  // namespace fireweed::compute
