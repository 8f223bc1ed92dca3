#include "compute/disks.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "compute/fingerprint.h"
#include "compute/images.h"
#include "compute/links.h"
#include "compute/refusals.h"

namespace fireweed::compute {
namespace {

constexpr int64_t kLargestGb = 65536;
constexpr std::array<std::string_view, 5> kTypes{"local-ssd", "pd-balanced", "pd-extreme", "pd-ssd",
                                                 "pd-standard"};

int64_t UsualSize(std::string_view type) {
  if (type == "local-ssd") return 375;
  return type == "pd-standard" ? 500 : 100;
}

}  // namespace

DiskRecord MakeDisk(Txn& txn, const DiskWish& wish, int64_t id, Time now) {
  RequireResourceName(wish.name);
  std::string scope = "zones/" + wish.zone;
  if (txn.Find<DiskRecord>(wish.project + "/" + wish.zone + "/" + wish.name)) {
    AlreadyThere(wish.project, scope + "/disks/" + wish.name);
  }
  std::string type = wish.type.empty() ? "pd-standard" : LastWord(wish.type);
  if (std::ranges::find(kTypes, type) == kTypes.end()) {
    Missing(wish.project, scope + "/diskTypes/" + type);
  }
  DiskRecord disk{.project = wish.project, .zone = wish.zone};
  api::compute::Disk& resource = disk.resource;
  resource = {.id = id,
              .creationTimestamp = FormatTime(now),
              .name = wish.name,
              .description = wish.description,
              .zone = ZoneLink(wish.project, wish.zone),
              .type = ScopedLink(wish.project, scope, "diskTypes", type),
              .labels = wish.labels,
              .labelFingerprint = FingerprintOf(wish.labels),
              .selfLink = ScopedLink(wish.project, scope, "disks", wish.name)};
  int64_t smallest = 1, usual = UsualSize(type);
  if (wish.source_image.empty()) {
    disk.root.whole = true;
  } else {
    ImageRecord image = ResolveUsableImage(txn, wish.source_image, wish.project);
    disk.root = image.root;
    resource.sourceImage = image.resource.selfLink;
    resource.sourceImageId = std::to_string(image.resource.id);
    smallest = usual = image.resource.diskSizeGb;
  }
  resource.sizeGb = wish.size_gb.value_or(0) == 0 ? usual : *wish.size_gb;
  if (resource.sizeGb < smallest && !wish.source_image.empty()) {
    InvalidField(
        "resource.sizeGb", std::to_string(resource.sizeGb),
        fmt::format("Requested disk size cannot be smaller than the image size ({} GB)", smallest));
  }
  if (resource.sizeGb < smallest || resource.sizeGb > kLargestGb) {
    InvalidField("resource.sizeGb", std::to_string(resource.sizeGb),
                 fmt::format("Must be between {} and {} GB.", smallest, kLargestGb));
  }
  return disk;
}

DiskRecord FindDisk(Txn& txn, const std::string& project, const std::string& zone,
                    std::string_view reference) {
  ResourceRef ref = ParseRef(reference);
  std::string owner = ref.project.empty() ? project : ref.project;
  bool zonal = ref.path.size() >= 2 && ref.path[0] == "zones";
  std::string place = zonal ? ref.path[1] : zone;
  auto row = txn.Find<DiskRecord>(owner + "/" + place + "/" + ref.name());
  if (!row) Missing(owner, fmt::format("zones/{}/disks/{}", place, ref.name()));
  return std::move(row->value);
}

std::optional<std::string> RunningUser(Txn& txn, const DiskRecord& disk) {
  for (const std::string& user : disk.resource.users) {
    auto row = txn.Find<InstanceRecord>(disk.project + "/" + disk.zone + "/" + LastWord(user));
    if (!row) continue;
    const InstanceRecord& instance = row->value;
    bool off = instance.want == InstanceWant::kStopped &&
               instance.resource.status == api::compute::InstanceStatus::kTerminated;
    if (!off) return user;
  }
  return std::nullopt;
}

}  // namespace fireweed::compute
