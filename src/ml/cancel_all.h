// Cancels every job that has not ended: what `fireweed down --purge` leaves for the next start of the daemon, which
// ends the jobs as CANCELLED.
//
// Threading: inside a write transaction. Blocking: for the length of the scan.
// Errors: throws Failure of the catalog.
#pragma once

#include "catalog/catalog.h"

namespace fireweed::ml {

// Returns the number of jobs that had not ended.
int CancelAllJobs(Txn& txn);

}  // namespace fireweed::ml
