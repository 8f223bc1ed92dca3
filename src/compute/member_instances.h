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
#include "compute/records.h"

namespace fireweed::compute {

// Stores the instance with its disks and an operation of the system's. kExists when the name is taken.
InstanceRecord MakeMember(Txn& txn, const api::compute::InsertInstance& request,
                          const InsertContext& context, const Key& group, IdSource& ids);

// The instance is to go. `verb`: how its operation is called.
void MarkGone(Txn& txn, InstanceRecord record, std::string verb, IdSource& ids, Time now);

}  // namespace fireweed::compute
