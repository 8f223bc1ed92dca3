// Data disks that come and go: what it does to the records. Pure but for the transaction.
#pragma once

#include "base/clock.h"
#include "catalog/catalog.h"
#include "compute/records.h"

namespace fireweed::compute {

// A disk with this name inside is on its way in or out.
bool IsChanging(const InstanceRecord& record, const std::string& device);

// The change has been made: the disk is among the instance's, or no longer.
void ApplyDiskChange(InstanceRecord& record, const DiskChange& change);

// Disks that `before` has, or was to get, and `after` does not, are nobody's again.
void ReleaseDisks(Txn& txn, const InstanceRecord& before, const InstanceRecord& after, Time now);

}  // namespace fireweed::compute
