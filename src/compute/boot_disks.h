// What for: from an instance's record to what its machine boots from: layers, disk, data disks.
// Who calls: the instance controller's actions, before each boot. May block, while the base image is built or a disk
//   is being copied into an image.
// A failure: the instance's; kInvalid when a disk is gone, anything else may be tried again.
#pragma once

#include <functional>
#include <set>
#include <string>
#include <vector>

#include "catalog/catalog.h"
#include "compute/instance_machine.h"
#include "machine/image/disk_store.h"

namespace fireweed::compute {

class BootDisks {
 public:
  // The base image, or, for a root that stands on layers of its own, what is put over those.
  using Base = std::function<Result<BootImage>(const std::vector<std::string>& own_layers)>;
  BootDisks(Catalog& catalog, DiskStore& store, Base base)
      : catalog_(catalog), store_(store), base_(std::move(base)) {}

  Result<BootImage> Find(const InstanceRecord& record);
  // A data disk of the instance, or one on its way.
  Result<MachineVolume> Volume(const InstanceRecord& record,
                               const api::compute::AttachedDisk& attached);
  // The base images that disks and images are pinned to.
  std::set<std::string> Bases() const;

 private:
  // The disk's record, once nobody copies it and its directories are there.
  Result<DiskRecord> Prepared(const InstanceRecord& record,
                              const api::compute::AttachedDisk& attached);
  Result<BootImage> FindRoot(const DiskRecord& disk);
  void Pin(const DiskRecord& disk, const std::string& base);
  std::vector<std::string> Paths(const RootLayers& root) const;

  Catalog& catalog_;
  DiskStore& store_;
  const Base base_;
};

}  // namespace fireweed::compute
