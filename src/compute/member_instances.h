// What for: instances made and marked to go by something that is not a request: a group now, a job later. Rows only, in
//   the caller's transaction; the instance controller does the rest.
// Who calls: controllers, on the control thread.
// A failure: Failure with the words a client would get.
#pragma once

#include <string>

#include "base/ids.h"
#include "catalog/catalog.h"
#include "compute/insert_instance.h"
#include "compute/records.h"

namespace fireweed::compute {

// InsertInstance with an operation of the system's. Over quota is a Failure, too.
InstanceRecord MakeMember(Txn& txn, const NewInstance& instance, IdSource& ids);

// The instance is to go. `verb`: how its operation is called.
void MarkGone(Txn& txn, InstanceRecord record, std::string verb, IdSource& ids, Time now);

}  // namespace fireweed::compute
