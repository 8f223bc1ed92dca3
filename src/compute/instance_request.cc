#include "compute/instance_request.h"

#include <algorithm>
#include <cctype>

#include <fmt/format.h>

#include "compute/fingerprint.h"
#include "compute/instance_disks.h"
#include "compute/links.h"
#include "compute/metadata_items.h"
#include "compute/networks_service.h"
#include "compute/refusals.h"
#include "compute/scheduling.h"
#include "machine/network/subnet.h"

namespace fireweed::compute {
namespace {

using api::compute::Instance;

// All instances are on the one bridge, whoever's they are. Whether its range has the address, the driver knows.
std::string FreeAddress(Txn& txn, const std::string& wanted) {
  constexpr std::string_view kField = "resource.networkInterfaces[0].networkIP";
  std::optional<Ipv4> parsed = ParseIpv4(wanted);
  if (!parsed) InvalidField(kField, wanted, "Must be a valid IPv4 address.");
  std::string address = FormatIpv4(*parsed);
  txn.ForEach<InstanceRecord>({}, [&](const auto& row) {
    for (const api::compute::NetworkInterface& nic : row.value.resource.networkInterfaces) {
      if (nic.networkIP != address) continue;
      throw Failure(Code::kInvalid, "IP_IN_USE_BY_ANOTHER_RESOURCE",
                    fmt::format("IP '{}' is already being used by another resource.", address));
    }
  });
  return address;
}

void FitNetwork(Txn& txn, InstanceRecord& record) {
  std::vector<api::compute::NetworkInterface>& nics = record.resource.networkInterfaces;
  if (nics.empty()) nics.emplace_back();
  if (nics.size() > 1) {
    InvalidField("resource.networkInterfaces", std::to_string(nics.size()),
                 "One network interface is supported.");
  }
  api::compute::NetworkInterface& nic = nics.front();
  nic.name = "nic0";
  if (nic.network.empty() && nic.subnetwork.empty()) nic.network = "default";
  if (!nic.network.empty()) nic.network = NetworkLink(txn, record.project, nic.network);
  api::compute::Subnetwork subnetwork = FindSubnetwork(
      txn, record.project, std::string(RegionOf(record.zone)), nic.network, nic.subnetwork);
  nic.subnetwork = subnetwork.selfLink;
  nic.network = subnetwork.network;
  if (!nic.networkIP.empty()) nic.networkIP = FreeAddress(txn, nic.networkIP);
  if (nic.stackType.empty()) nic.stackType = "IPV4_ONLY";
  for (api::compute::AccessConfig& access : nic.accessConfigs) {
    if (access.type.empty()) access.type = "ONE_TO_ONE_NAT";
    if (access.name.empty()) access.name = "external-nat";
    if (access.networkTier.empty()) access.networkTier = "PREMIUM";
    access.natIP.clear();
  }
  nic.fingerprint = FingerprintOf(nic.network);
}

// It becomes a line of /etc/hosts.
void CheckHostname(const std::string& name) {
  auto fine = [](unsigned char c) { return std::isalnum(c) || c == '-' || c == '.'; };
  bool good = name.size() <= 253 && std::ranges::all_of(name, fine) &&
              name.find('.') != name.npos && name.find("..") == name.npos && name.front() != '.' &&
              name.back() != '.';
  if (!good) InvalidField("resource.hostname", name, "Must be a fully qualified domain name.");
}

void FitAccounts(Instance& instance, const std::string& default_account) {
  if (instance.serviceAccounts.size() > 1) {
    InvalidField("resource.serviceAccounts", std::to_string(instance.serviceAccounts.size()),
                 "At most one service account is allowed.");
  }
  for (api::compute::InstanceServiceAccount& account : instance.serviceAccounts) {
    if (account.email.empty() || account.email == "default") account.email = default_account;
  }
}

// Cards that a type comes with are not asked for, and it takes no others.
void FitOwnCards(Instance& instance, const MachineShape& shape) {
  if (shape.cards == 0) return;
  for (const api::compute::AcceleratorConfig& card : instance.guestAccelerators) {
    std::string type = LastWord(card.acceleratorType);
    if (type == shape.card && card.acceleratorCount == shape.cards) continue;
    InvalidField("resource.guestAccelerators", type,
                 fmt::format("Machine type {} comes with {} x {} and takes no other accelerators.",
                             shape.name, shape.cards, shape.card));
  }
  instance.guestAccelerators = {{shape.card, shape.cards}};
}

}  // namespace

void FitMachineType(InstanceRecord& record, const Catalogue& catalogue, bool strict) {
  Instance& instance = record.resource;
  if (instance.machineType.empty())
    InvalidField("resource.machineType", "", "The field is required.");
  ResourceRef ref = ParseRef(instance.machineType);
  bool elsewhere = ref.path.size() >= 4 && ref.path[0] == "zones" && ref.path[1] != record.zone;
  if (elsewhere) {
    InvalidField("resource.machineType", instance.machineType,
                 "The machine type is in another zone than the instance.");
  }
  std::string path = fmt::format("zones/{}/machineTypes/{}", record.zone, ref.name());
  std::optional<MachineShape> shape = catalogue.FindShape(ref.name());
  if (!shape) Missing(record.project, path);
  ClippedShape clipped = catalogue.Clip(*shape);
  record.cpus = clipped.cpus;
  record.visible_cpus = clipped.visible_cpus;
  record.memory_mb = clipped.memory_mb;
  record.warnings = clipped.warnings;
  instance.machineType =
      ScopedLink(record.project, "zones/" + record.zone, "machineTypes", ref.name());
  FitOwnCards(instance, *shape);
  for (api::compute::AcceleratorConfig& card : instance.guestAccelerators) {
    std::string type = LastWord(card.acceleratorType);
    for (std::string& warning : catalogue.AcceleratorWarnings(type, card.acceleratorCount))
      record.warnings.push_back(std::move(warning));
    card.acceleratorType =
        ScopedLink(record.project, "zones/" + record.zone, "acceleratorTypes", type);
  }
  if (strict && !record.warnings.empty()) {
    throw Failure(Code::kExhausted, "ZONE_RESOURCE_POOL_EXHAUSTED", record.warnings.front());
  }
}

InstanceRecord MakeInstance(Txn& txn, const api::compute::InsertInstance& request,
                            const InsertContext& context) {
  InstanceRecord record{.project = request.project, .zone = request.zone, .resource = request.body};
  Instance& instance = record.resource;
  RequireZone(record.project, record.zone);
  RequireResourceName(instance.name);
  if (!instance.hostname.empty()) CheckHostname(instance.hostname);
  CheckMetadata(instance.metadata);
  FitMachineType(record, context.catalogue, context.strict);
  FitDisks(txn, record, context.strict);
  FitNetwork(txn, record);
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

}  // namespace fireweed::compute
