#include "compute/boot_disks.h"

#include <unistd.h>

#include <fmt/format.h>

#include "compute/disks.h"
#include "compute/instance_disks.h"

namespace fireweed::compute {

using api::compute::AttachedDisk;

std::set<std::string> BootDisks::Bases() const {
  std::set<std::string> bases;
  catalog_.Read([&](Txn& txn) {
    auto add = [&](const auto& row) { bases.insert(row.value.root.base); };
    txn.ForEach<DiskRecord>({}, add);
    txn.ForEach<ImageRecord>({}, add);
  });
  bases.erase("");
  return bases;
}

std::vector<std::string> BootDisks::Paths(const RootLayers& root) const {
  std::vector<std::string> paths;
  for (const std::string& layer : root.layers) paths.push_back(store_.LayerDirectory(layer));
  return paths;
}

// From the first boot on the disk belongs to this base: another one below it would be another system.
void BootDisks::Pin(const DiskRecord& disk, const std::string& base) {
  catalog_.Write("disk pinned to its base", [&](Txn& txn) {
    auto row = txn.Find<DiskRecord>(disk.key());
    if (!row || row->value.resource.id != disk.resource.id || !row->value.root.base.empty()) return;
    row->value.root.base = base;
    txn.Put(disk.key(), row->value);
  });
}

Result<BootImage> BootDisks::FindRoot(const DiskRecord& disk) {
  std::vector<std::string> own = Paths(disk.root);
  Result<BootImage> image = base_(disk.root.whole ? own : std::vector<std::string>{});
  if (!image.ok() || disk.root.whole) return image;
  std::string present = image->layers.empty() ? "" : image->layers.back();
  if (disk.root.base.empty()) {
    Pin(disk, present);
  } else if (disk.root.base != present) {
    if (access(disk.root.base.c_str(), R_OK) != 0) {
      return Error{Code::kInvalid, "",
                   fmt::format("The base image this disk was made on, {}, is no longer there.",
                               disk.root.base)};
    }
    image->layers = {disk.root.base};
  }
  image->layers.insert(image->layers.begin(), own.begin(), own.end());
  return image;
}

Result<DiskRecord> BootDisks::Prepared(const InstanceRecord& record, const AttachedDisk& attached) {
  DiskRecord disk;
  try {
    disk = Query(catalog_, [&](Txn& txn) {
      return FindDisk(txn, record.project, record.zone, attached.source);
    });
  } catch (const Failure& failure) {
    return Error{Code::kInvalid, "", failure.error().message};
  }
  store_.AwaitFree(disk.store_name());
  if (Result<> made = store_.MakeDisk(disk.store_name()); !made.ok()) return made.error();
  return disk;
}

Result<MachineVolume> BootDisks::Volume(const InstanceRecord& record,
                                        const AttachedDisk& attached) {
  Result<DiskRecord> disk = Prepared(record, attached);
  if (!disk.ok()) return disk.error();
  std::vector<std::string> layers = Paths(disk->root);
  if (!disk->root.whole && !disk->root.base.empty()) layers.push_back(disk->root.base);
  return MachineVolume{.directory = store_.DiskDirectory(disk->store_name()),
                       .inside = MountPoint(attached),
                       .layers = std::move(layers),
                       .read_only = attached.mode == "READ_ONLY"};
}

Result<BootImage> BootDisks::Find(const InstanceRecord& record) {
  const std::vector<AttachedDisk>& disks = record.resource.disks;
  Result<DiskRecord> root = Prepared(record, disks.at(0));
  if (!root.ok()) return root.error();
  Result<BootImage> image = FindRoot(*root);
  if (!image.ok()) return image;
  image->disk = store_.DiskDirectory(root->store_name());
  for (size_t i = 1; i < disks.size(); ++i) {
    Result<MachineVolume> volume = Volume(record, disks[i]);
    if (!volume.ok()) return volume.error();
    image->volumes.push_back(*std::move(volume));
  }
  return image;
}

}  // namespace fireweed::compute
