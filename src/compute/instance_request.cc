#include "compute/instance_request.h"

#include <algorithm>

#include <fmt/format.h>

#include "compute/fingerprint.h"
#include "compute/images.h"
#include "compute/links.h"
#include "compute/metadata_items.h"
#include "compute/scheduling.h"

namespace fireweed::compute {
namespace {

using api::compute::Instance;

constexpr int64_t kDefaultDiskGb = 10;

[[noreturn]] void Invalid(std::string_view field, std::string_view value, std::string_view why) {
  throw Failure(Code::kInvalid,
                fmt::format("Invalid value for field '{}': '{}'. {}", field, value, why));
}

[[noreturn]] void Missing(const std::string& project, const std::string& path) {
  throw Failure(Code::kNotFound,
                fmt::format("The resource 'projects/{}/{}' was not found", project, path));
}

void FitMachineType(InstanceRecord& record, const InsertContext& context) {
  Instance& instance = record.resource;
  if (instance.machineType.empty()) Invalid("resource.machineType", "", "The field is required.");
  ResourceRef ref = ParseRef(instance.machineType);
  bool elsewhere = ref.path.size() >= 4 && ref.path[0] == "zones" && ref.path[1] != record.zone;
  if (elsewhere) {
    Invalid("resource.machineType", instance.machineType,
            "The machine type is in another zone than the instance.");
  }
  std::string path = fmt::format("zones/{}/machineTypes/{}", record.zone, ref.name());
  std::optional<MachineShape> shape = context.catalogue.FindShape(ref.name());
  if (!shape) Missing(record.project, path);
  ClippedShape clipped = context.catalogue.Clip(*shape);
  record.cpus = clipped.cpus;
  record.memory_mb = clipped.memory_mb;
  record.warnings = clipped.warnings;
  instance.machineType =
      ScopedLink(record.project, "zones/" + record.zone, "machineTypes", ref.name());
  for (api::compute::AcceleratorConfig& card : instance.guestAccelerators) {
    std::string type = LastWord(card.acceleratorType);
    for (std::string& warning : context.catalogue.AcceleratorWarnings(type, card.acceleratorCount))
      record.warnings.push_back(std::move(warning));
    card.acceleratorType =
        ScopedLink(record.project, "zones/" + record.zone, "acceleratorTypes", type);
  }
  if (context.strict && !record.warnings.empty()) {
    throw Failure(Code::kExhausted, "ZONE_RESOURCE_POOL_EXHAUSTED", record.warnings.front());
  }
}

void FitDisk(Txn& txn, InstanceRecord& record, size_t index) {
  api::compute::AttachedDisk& disk = record.resource.disks[index];
  std::string field = fmt::format("resource.disks[{}]", index);
  disk.index = static_cast<int32_t>(index);
  disk.interface = disk.interface.empty() ? "SCSI" : disk.interface;
  if (!disk.source.empty()) {
    std::string name = LastWord(disk.source);
    auto row = txn.Find<DiskRecord>(record.project + "/" + record.zone + "/" + name);
    if (!row) Missing(record.project, fmt::format("zones/{}/disks/{}", record.zone, name));
    if (!row->value.resource.users.empty()) {
      throw Failure(Code::kInvalid, "RESOURCE_IN_USE_BY_ANOTHER_RESOURCE",
                    fmt::format("The disk resource '{}' is already being used.", name));
    }
    disk.diskSizeGb = row->value.resource.sizeGb;
    if (disk.boot) record.image = row->value.resource.sourceImage;
  } else if (disk.initializeParams) {
    api::compute::DiskInitializeParams& params = *disk.initializeParams;
    std::string name = !params.diskName.empty() ? params.diskName
                       : disk.boot              ? record.resource.name
                                                : fmt::format("{}-{}", record.resource.name, index);
    if (!IsResourceName(name)) Invalid(field + ".initializeParams.diskName", name, "Bad name.");
    if (!params.sourceImage.empty()) {
      api::compute::Image image = ResolveImage(txn, params.sourceImage, record.project);
      params.sourceImage = image.selfLink;
      if (disk.boot) record.image = image.selfLink;
    }
    params.diskSizeGb = params.diskSizeGb.value_or(kDefaultDiskGb);
    if (*params.diskSizeGb < 1)
      Invalid(field + ".diskSizeGb", std::to_string(*params.diskSizeGb), "Too small.");
    std::string type = params.diskType.empty() ? "pd-standard" : LastWord(params.diskType);
    params.diskType = ScopedLink(record.project, "zones/" + record.zone, "diskTypes", type);
    disk.diskSizeGb = params.diskSizeGb;
    disk.source = ScopedLink(record.project, "zones/" + record.zone, "disks", name);
    if (txn.Find<DiskRecord>(record.project + "/" + record.zone + "/" + name)) {
      throw Failure(Code::kExists, "alreadyExists",
                    fmt::format("The resource 'projects/{}/zones/{}/disks/{}' already exists",
                                record.project, record.zone, name));
    }
  } else {
    Invalid(field, "", "A disk needs a source or initializeParams.");
  }
  if (disk.deviceName.empty()) {
    disk.deviceName = disk.boot ? "persistent-disk-0" : fmt::format("persistent-disk-{}", index);
  }
}

void FitDisks(Txn& txn, InstanceRecord& record) {
  std::vector<api::compute::AttachedDisk>& disks = record.resource.disks;
  if (disks.empty()) Invalid("resource.disks", "", "At least one disk is required.");
  for (size_t i = 0; i < disks.size(); ++i) FitDisk(txn, record, i);
  if (std::ranges::count(disks, true, &api::compute::AttachedDisk::boot) != 1 || !disks[0].boot) {
    Invalid("resource.disks", "", "Exactly one disk, the first, must be the boot disk.");
  }
  if (record.image.empty()) {
    Invalid("resource.disks[0]", "", "The boot disk needs a source image.");
  }
}

void FitNetwork(InstanceRecord& record) {
  std::vector<api::compute::NetworkInterface>& nics = record.resource.networkInterfaces;
  if (nics.empty()) nics.emplace_back();
  if (nics.size() > 1) {
    Invalid("resource.networkInterfaces", std::to_string(nics.size()),
            "One network interface is supported.");
  }
  api::compute::NetworkInterface& nic = nics.front();
  std::string network = nic.network.empty() ? "default" : LastWord(nic.network);
  if (network != "default") Missing(record.project, "global/networks/" + network);
  nic.name = "nic0";
  nic.network = ScopedLink(record.project, "global", "networks", network);
  nic.subnetwork = ScopedLink(record.project, fmt::format("regions/{}", RegionOf(record.zone)),
                              "subnetworks", "default");
  nic.networkIP.clear();
  if (nic.stackType.empty()) nic.stackType = "IPV4_ONLY";
  for (api::compute::AccessConfig& access : nic.accessConfigs) {
    if (access.type.empty()) access.type = "ONE_TO_ONE_NAT";
    if (access.name.empty()) access.name = "external-nat";
    if (access.networkTier.empty()) access.networkTier = "PREMIUM";
    access.natIP.clear();
  }
  nic.fingerprint = FingerprintOf(nic.network);
}

void FitAccounts(Instance& instance, const std::string& default_account) {
  if (instance.serviceAccounts.size() > 1) {
    Invalid("resource.serviceAccounts", std::to_string(instance.serviceAccounts.size()),
            "At most one service account is allowed.");
  }
  for (api::compute::InstanceServiceAccount& account : instance.serviceAccounts) {
    if (account.email.empty() || account.email == "default") account.email = default_account;
  }
}

}  // namespace

InstanceRecord MakeInstance(Txn& txn, const api::compute::InsertInstance& request,
                            const InsertContext& context) {
  InstanceRecord record{.project = request.project, .zone = request.zone, .resource = request.body};
  Instance& instance = record.resource;
  if (!Catalogue::HasZone(record.zone)) Missing(record.project, "zones/" + record.zone);
  if (!IsResourceName(instance.name)) {
    Invalid("resource.name", instance.name,
            "Must be a match of regex '(?:[a-z](?:[-a-z0-9]{0,61}[a-z0-9])?)'");
  }
  CheckMetadata(instance.metadata);
  FitMachineType(record, context);
  FitDisks(txn, record);
  FitNetwork(record);
  FitScheduling(instance.scheduling, !instance.guestAccelerators.empty());
  FitAccounts(instance, context.default_account);
  SealMetadata(instance.metadata);
  instance.tags.fingerprint = FingerprintOf(instance.tags.items);
  instance.labelFingerprint = FingerprintOf(instance.labels);
  instance.id = context.id;
  instance.creationTimestamp = FormatTime(context.now);
  instance.zone = ZoneLink(record.project, record.zone);
  instance.selfLink =
      ScopedLink(record.project, "zones/" + record.zone, "instances", instance.name);
  instance.cpuPlatform = "Unknown CPU Platform";
  instance.fingerprint = FingerprintOf(instance.selfLink);
  instance.status = api::compute::InstanceStatus::kProvisioning;
  return record;
}

std::vector<DiskRecord> DisksOf(const InstanceRecord& record, Time now, int64_t first_id) {
  std::vector<DiskRecord> disks;
  for (const api::compute::AttachedDisk& disk : record.resource.disks) {
    if (!disk.initializeParams) continue;
    const api::compute::DiskInitializeParams& params = *disk.initializeParams;
    api::compute::Disk resource{.id = first_id++,
                                .creationTimestamp = FormatTime(now),
                                .name = LastWord(disk.source),
                                .description = params.description,
                                .zone = record.resource.zone,
                                .sourceImage = params.sourceImage,
                                .type = params.diskType,
                                .sizeGb = *params.diskSizeGb,
                                .users = {record.resource.selfLink},
                                .labels = params.labels,
                                .labelFingerprint = FingerprintOf(params.labels),
                                .lastAttachTimestamp = FormatTime(now),
                                .selfLink = disk.source};
    disks.push_back({record.project, record.zone, std::move(resource)});
  }
  return disks;
}

}  // namespace fireweed::compute
