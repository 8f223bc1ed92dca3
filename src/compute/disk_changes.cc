#include "compute/disk_changes.h"

#include <algorithm>
#include <set>

#include "compute/links.h"

namespace fireweed::compute {
namespace {

using api::compute::AttachedDisk;

std::set<std::string> SourcesOf(const InstanceRecord& record) {
  std::set<std::string> sources;
  for (const AttachedDisk& disk : record.resource.disks) sources.insert(disk.source);
  for (const DiskChange& change : record.disk_changes) sources.insert(change.disk.source);
  return sources;
}

}  // namespace

bool IsChanging(const InstanceRecord& record, const std::string& device) {
  return std::ranges::any_of(record.disk_changes, [&](const DiskChange& change) {
    return change.disk.deviceName == device;
  });
}

void ApplyDiskChange(InstanceRecord& record, const DiskChange& change) {
  std::vector<AttachedDisk>& disks = record.resource.disks;
  std::erase_if(
      disks, [&](const AttachedDisk& other) { return other.deviceName == change.disk.deviceName; });
  if (change.attach) disks.push_back(change.disk);
  for (size_t i = 0; i < disks.size(); ++i) disks[i].index = static_cast<int32_t>(i);
}

void ReleaseDisks(Txn& txn, const InstanceRecord& before, const InstanceRecord& after, Time now) {
  std::set<std::string> kept = SourcesOf(after);
  for (const std::string& source : SourcesOf(before)) {
    if (kept.contains(source)) continue;
    auto row = txn.Find<DiskRecord>(before.project + "/" + before.zone + "/" + LastWord(source));
    if (!row) continue;
    std::erase(row->value.resource.users, before.resource.selfLink);
    row->value.resource.lastDetachTimestamp = FormatTime(now);
    txn.Put(row->value.key(), row->value);
  }
}

}  // namespace fireweed::compute
