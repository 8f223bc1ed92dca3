// Records that no instance is to run any more: what `fireweed down --purge` leaves for the next start of the daemon.
// Single instances become stopped and keep their disks; managed groups shrink to zero members.
//
// Threading: inside a write transaction. Blocking: for the length of the scan.
// Errors: throws Failure of the catalog.
#pragma once

#include "catalog/catalog.h"

namespace fireweed::compute {

// Returns the number of instances that were to run.
int StopAllInstances(Txn& txn);

}  // namespace fireweed::compute
