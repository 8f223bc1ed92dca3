#include "compute/instance_disks.h"

#include <algorithm>

#include <fmt/format.h>

#include "compute/disks.h"
#include "compute/images.h"
#include "compute/links.h"
#include "compute/refusals.h"

namespace fireweed::compute {
namespace {

using api::compute::AttachedDisk;

// It becomes a directory below /mnt/disks.
bool GoodDeviceName(std::string_view name) {
  auto fine = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '_' || c == '.';
  };
  return !name.empty() && name.size() <= 63 && name.front() != '.' &&
         std::ranges::all_of(name, fine);
}

// A boot disk is written on, whatever its mode says.
bool OnlyReads(const AttachedDisk& disk) { return disk.mode == "READ_ONLY" && !disk.boot; }

bool OnlyReads(const InstanceRecord& instance, const std::string& source) {
  auto fine = [&](const AttachedDisk& disk) { return disk.source != source || OnlyReads(disk); };
  return std::ranges::all_of(instance.resource.disks, fine) &&
         std::ranges::all_of(instance.disk_changes, fine, &DiskChange::disk);
}

void FitExisting(Txn& txn, InstanceRecord& record, AttachedDisk& disk) {
  DiskRecord there = FindDisk(txn, record.project, record.zone, disk.source);
  if (there.project != record.project || there.zone != record.zone) {
    InvalidField("resource.disks[].source", disk.source,
                 "The disk is in another zone or project than the instance.");
  }
  RefuseTaken(txn, there, disk, record);
  disk.source = there.resource.selfLink;
  disk.diskSizeGb = there.resource.sizeGb;
  disk.initializeParams.reset();
  if (disk.boot) record.image = there.resource.sourceImage;
}

DiskWish WishOf(const InstanceRecord& record, const AttachedDisk& disk) {
  const api::compute::DiskInitializeParams& params = *disk.initializeParams;
  std::string name = params.diskName;
  if (name.empty()) {
    name =
        disk.boot ? record.resource.name : fmt::format("{}-{}", record.resource.name, disk.index);
  }
  return {.project = record.project,
          .zone = record.zone,
          .name = name,
          .description = params.description,
          .type = params.diskType,
          .source_image = params.sourceImage,
          .size_gb = params.diskSizeGb,
          .labels = params.labels};
}

void FitNew(Txn& txn, InstanceRecord& record, AttachedDisk& disk, bool strict) {
  api::compute::DiskInitializeParams& params = *disk.initializeParams;
  if (!params.sourceSnapshot.empty()) {
    Missing(record.project, "global/snapshots/" + LastWord(params.sourceSnapshot));
  }
  if (!params.diskSizeGb && disk.diskSizeGb) params.diskSizeGb = disk.diskSizeGb;
  for (std::string& warning : ImageWarnings(txn, params.sourceImage, record.project, strict)) {
    record.warnings.push_back(std::move(warning));
  }
  // Made here to be checked and to settle the rest; its id comes with AttachDisks.
  DiskRecord fresh = MakeDisk(txn, WishOf(record, disk), 0, Time{});
  params.sourceImage = fresh.resource.sourceImage;
  params.diskSizeGb = fresh.resource.sizeGb;
  params.diskType = fresh.resource.type;
  disk.diskSizeGb = fresh.resource.sizeGb;
  disk.source = fresh.resource.selfLink;
  params.diskName = fresh.resource.name;
  if (disk.type == "SCRATCH") disk.autoDelete = true;
  if (disk.boot) record.image = fresh.resource.sourceImage;
}

}  // namespace

std::string MountPoint(const AttachedDisk& disk) { return "/mnt/disks/" + disk.deviceName; }

void RefuseTaken(Txn& txn, const DiskRecord& disk, const AttachedDisk& wanted,
                 const InstanceRecord& instance) {
  const std::string& link = disk.resource.selfLink;
  for (const std::string& user : disk.resource.users) {
    auto row = txn.Find<InstanceRecord>(disk.project + "/" + disk.zone + "/" + LastWord(user));
    bool shared = OnlyReads(wanted) && row && row->value.key() != instance.key() &&
                  OnlyReads(row->value, link);
    if (!shared) InUse("disk", link, user);
  }
}

void FitDeviceName(const InstanceRecord& record, AttachedDisk& disk, size_t index) {
  if (disk.deviceName.empty()) disk.deviceName = fmt::format("persistent-disk-{}", index);
  std::string field = fmt::format("resource.disks[{}].deviceName", index);
  if (!GoodDeviceName(disk.deviceName)) {
    InvalidField(field, disk.deviceName, "Letters, digits, '-', '_' and '.', at most 63.");
  }
  auto same = [&](const AttachedDisk& other) {
    return &other != &disk && other.deviceName == disk.deviceName;
  };
  if (std::ranges::any_of(record.resource.disks, same)) {
    InvalidField(field, disk.deviceName, "Another disk of the instance has this name.");
  }
}

void FitDisks(Txn& txn, InstanceRecord& record, bool strict) {
  std::vector<AttachedDisk>& disks = record.resource.disks;
  if (disks.empty()) InvalidField("resource.disks", "", "At least one disk is required.");
  for (size_t i = 0; i < disks.size(); ++i) {
    AttachedDisk& disk = disks[i];
    disk.index = static_cast<int32_t>(i);
    if (disk.interface.empty()) disk.interface = "SCSI";
    if (!disk.source.empty()) {
      FitExisting(txn, record, disk);
    } else if (disk.initializeParams) {
      FitNew(txn, record, disk, strict);
    } else {
      InvalidField(fmt::format("resource.disks[{}]", i), "",
                   "A disk needs a source or initializeParams.");
    }
    FitDeviceName(record, disk, i);
    auto same = [&](const AttachedDisk& other) { return other.source == disk.source; };
    if (std::ranges::count_if(disks, same) > 1) {
      InvalidField("resource.disks", disk.source, "The disk is named twice.");
    }
  }
  if (std::ranges::count(disks, true, &AttachedDisk::boot) != 1 || !disks[0].boot) {
    InvalidField("resource.disks", "", "Exactly one disk, the first, must be the boot disk.");
  }
  if (record.image.empty()) {
    InvalidField("resource.disks[0]", "", "The boot disk needs a source image.");
  }
}

void AttachDisks(Txn& txn, const InstanceRecord& record, IdSource& ids, Time now) {
  for (const AttachedDisk& disk : record.resource.disks) {
    DiskRecord attached = disk.initializeParams
                              ? MakeDisk(txn, WishOf(record, disk), ids.NextNumber(), now)
                              : FindDisk(txn, record.project, record.zone, disk.source);
    if (disk.initializeParams) {
      attached.creator = record.creator;
      attached.uncharged = record.uncharged;
    }
    attached.resource.users.push_back(record.resource.selfLink);
    attached.resource.lastAttachTimestamp = FormatTime(now);
    txn.Put(attached.key(), attached);
  }
}

}  // namespace fireweed::compute
