// The disks of an instance: from what an insert says to disks that are there and attached.
#pragma once

#include "base/clock.h"
#include "base/ids.h"
#include "catalog/catalog.h"
#include "compute/records.h"

namespace fireweed::compute {

// Checks the disks of a new instance and completes them: names, links, sizes; settles its image. Adds a warning for each image
// that the base image stands for; `strict` refuses it. Throws Failure.
void FitDisks(Txn& txn, InstanceRecord& record, bool strict);
// Makes the disks the instance brings along and notes it as user of them all. REQUIRES: FitDisks was called.
void AttachDisks(Txn& txn, const InstanceRecord& record, IdSource& ids, Time now);

// Refuses a disk that somebody uses, unless they all, and `wanted`, only read it. Throws Failure.
void RefuseTaken(Txn& txn, const DiskRecord& disk, const api::compute::AttachedDisk& wanted,
                 const InstanceRecord& instance);

// Where a data disk is seen inside.
std::string MountPoint(const api::compute::AttachedDisk& disk);
// Completes and checks the name under which a disk is known inside; unique in the instance.
void FitDeviceName(const InstanceRecord& record, api::compute::AttachedDisk& disk, size_t index);

}  // namespace fireweed::compute
