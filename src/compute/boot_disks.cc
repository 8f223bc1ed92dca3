#include "compute/boot_disks.h"

#include <unistd.h>

#include <fmt/format.h>

#include "compute/disks.h"
#include "compute/instance_disks.h"

namespace fireweed::compute {

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

Result<BootImage> BootDisks::Find(const InstanceRecord& record) {
  std::vector<DiskRecord> disks;
  try {
    disks = Query(catalog_, [&](Txn& txn) {
      std::vector<DiskRecord> found;
      for (const api::compute::AttachedDisk& disk : record.resource.disks) {
        found.push_back(FindDisk(txn, record.project, record.zone, disk.source));
      }
      return found;
    });
  } catch (const Failure& failure) {
    return Error{Code::kInvalid, "", failure.error().message};
  }
  Result<BootImage> image = FindRoot(disks.at(0));
  if (!image.ok()) return image;
  for (const DiskRecord& disk : disks) {
    store_.AwaitFree(disk.store_name());
    if (Result<> made = store_.MakeDisk(disk.store_name()); !made.ok()) return made.error();
  }
  image->disk = store_.DiskDirectory(disks[0].store_name());
  for (size_t i = 1; i < disks.size(); ++i) {
    const api::compute::AttachedDisk& attached = record.resource.disks[i];
    const RootLayers& root = disks[i].root;
    std::vector<std::string> layers = Paths(root);
    if (!root.whole && !root.base.empty()) layers.push_back(root.base);
    image->volumes.push_back({.directory = store_.DiskDirectory(disks[i].store_name()),
                              .inside = MountPoint(attached),
                              .layers = std::move(layers),
                              .read_only = attached.mode == "READ_ONLY"});
  }
  return image;
}

}  // namespace fireweed::compute
