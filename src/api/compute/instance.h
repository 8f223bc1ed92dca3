// Instances as the API shows them. Everything clients send in an insert is kept and shown again.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/compute/service.h"

namespace fireweed::api::compute {

enum class InstanceStatus {
  kProvisioning,
  kStaging,
  kRunning,
  kStopping,
  kTerminated,
  kSuspending,
  kSuspended,
  kRepairing,
};

struct MetadataItem {
  std::string key, value;
};
struct Metadata {
  std::string kind = "compute#metadata";
  Bytes fingerprint;
  std::vector<MetadataItem> items;
};

struct DiskInitializeParams {
  std::string diskName, sourceImage, sourceSnapshot, diskType, description;
  std::optional<int64_t> diskSizeGb;
  std::map<std::string, std::string> labels;
};
struct AttachedDisk {
  std::string kind = "compute#attachedDisk";
  std::string type = "PERSISTENT", mode = "READ_WRITE", source, deviceName, interface;
  int32_t index = 0;
  bool boot = false, autoDelete = false;
  std::optional<int64_t> diskSizeGb;
  std::optional<DiskInitializeParams> initializeParams;
  std::vector<std::string> licenses;
};

struct AccessConfig {
  std::string kind = "compute#accessConfig";
  std::string type, name, natIP, networkTier;
};
// NOHOUSE(name): the API calls it so
struct NetworkInterface {
  std::string kind = "compute#networkInterface";
  std::string name, network, subnetwork, networkIP, nicType, stackType;
  Bytes fingerprint;
  std::vector<AccessConfig> accessConfigs;
};

struct ScheduledDuration {
  int64_t seconds = 0;
  int32_t nanos = 0;
};
struct Scheduling {
  std::string onHostMaintenance, provisioningModel, instanceTerminationAction, terminationTime;
  std::optional<bool> automaticRestart, preemptible;
  std::optional<ScheduledDuration> maxRunDuration;
};

struct InstanceServiceAccount {
  std::string email;
  std::vector<std::string> scopes;
};
struct Tags {
  std::vector<std::string> items;
  Bytes fingerprint;
};
struct AcceleratorConfig {
  std::string acceleratorType;
  int32_t acceleratorCount = 0;
};

struct Instance {
  std::string kind = "compute#instance";
  int64_t id = 0;
  std::string creationTimestamp, name, description, hostname;
  Tags tags;
  std::string machineType;
  InstanceStatus status = InstanceStatus::kProvisioning;
  std::string statusMessage, zone;
  bool canIpForward = false;
  std::vector<NetworkInterface> networkInterfaces;
  std::vector<AttachedDisk> disks;
  Metadata metadata;
  std::vector<InstanceServiceAccount> serviceAccounts;
  std::string selfLink;
  Scheduling scheduling;
  std::string cpuPlatform, minCpuPlatform;
  std::map<std::string, std::string> labels;
  Bytes labelFingerprint;
  std::vector<AcceleratorConfig> guestAccelerators;
  bool startRestricted = false, deletionProtection = false;
  Bytes fingerprint;
  std::string lastStartTimestamp, lastStopTimestamp;
  std::vector<std::string> resourcePolicies;
  std::string privateIpv6GoogleAccess, keyRevocationActionType;
  // Kept as sent: nothing here acts on them.
  Json shieldedInstanceConfig, shieldedInstanceIntegrityPolicy, confidentialInstanceConfig,
      displayDevice, reservationAffinity, advancedMachineFeatures, networkPerformanceConfig, params;
};

struct InstancesScopedList {
  std::vector<Instance> instances;
  std::optional<Warning> warning;
};

struct SerialPortOutput {
  std::string kind = "compute#serialPortOutput";
  std::string contents;
  int64_t start = 0, next = 0;
  std::string selfLink;
};

}  // namespace fireweed::api::compute

namespace fireweed {

template <>
inline constexpr std::string_view kTypeName<api::compute::InstanceStatus> = "InstanceStatus";
template <>
inline constexpr std::array<std::string_view, 8> kEnumNames<api::compute::InstanceStatus>{
    "PROVISIONING", "STAGING",    "RUNNING",   "STOPPING",
    "TERMINATED",   "SUSPENDING", "SUSPENDED", "REPAIRING"};

template <>
inline constexpr std::string_view kTypeName<api::compute::MetadataItem> = "MetadataItem";
template <>
inline constexpr auto kFields<api::compute::MetadataItem> = [](auto...) {
  return Fields{F("key", &api::compute::MetadataItem::key, kRequired),
                F("value", &api::compute::MetadataItem::value, kKeepEmpty)};
};
template <>
inline constexpr std::string_view kTypeName<api::compute::Metadata> = "Metadata";
template <>
inline constexpr auto kFields<api::compute::Metadata> = [](auto...) {
  return Fields{F("kind", &api::compute::Metadata::kind, kOutput),
                F("fingerprint", &api::compute::Metadata::fingerprint),
                F("items", &api::compute::Metadata::items)};
};

template <>
inline constexpr std::string_view kTypeName<api::compute::DiskInitializeParams> =
    "AttachedDiskInitializeParams";
template <>
inline constexpr auto kFields<api::compute::DiskInitializeParams> = [](auto...) {
  return Fields{F("diskName", &api::compute::DiskInitializeParams::diskName),
                F("sourceImage", &api::compute::DiskInitializeParams::sourceImage),
                F("sourceSnapshot", &api::compute::DiskInitializeParams::sourceSnapshot),
                F("diskType", &api::compute::DiskInitializeParams::diskType),
                F("description", &api::compute::DiskInitializeParams::description),
                F("diskSizeGb", &api::compute::DiskInitializeParams::diskSizeGb),
                F("labels", &api::compute::DiskInitializeParams::labels)};
};
template <>
inline constexpr std::string_view kTypeName<api::compute::AttachedDisk> = "AttachedDisk";
template <>
inline constexpr auto kFields<api::compute::AttachedDisk> = [](auto...) {
  return Fields{F("kind", &api::compute::AttachedDisk::kind, kOutput),
                F("type", &api::compute::AttachedDisk::type),
                F("mode", &api::compute::AttachedDisk::mode),
                F("source", &api::compute::AttachedDisk::source),
                F("deviceName", &api::compute::AttachedDisk::deviceName),
                F("index", &api::compute::AttachedDisk::index, kOutput),
                F("boot", &api::compute::AttachedDisk::boot),
                F("autoDelete", &api::compute::AttachedDisk::autoDelete),
                F("interface", &api::compute::AttachedDisk::interface),
                F("diskSizeGb", &api::compute::AttachedDisk::diskSizeGb),
                F("initializeParams", &api::compute::AttachedDisk::initializeParams),
                F("licenses", &api::compute::AttachedDisk::licenses)};
};

template <>
inline constexpr std::string_view kTypeName<api::compute::AccessConfig> = "AccessConfig";
template <>
inline constexpr auto kFields<api::compute::AccessConfig> = [](auto...) {
  return Fields{F("kind", &api::compute::AccessConfig::kind, kOutput),
                F("type", &api::compute::AccessConfig::type),
                F("name", &api::compute::AccessConfig::name),
                F("natIP", &api::compute::AccessConfig::natIP),
                F("networkTier", &api::compute::AccessConfig::networkTier)};
};
template <>
inline constexpr std::string_view kTypeName<api::compute::NetworkInterface> = "NetworkInterface";
template <>
inline constexpr auto kFields<api::compute::NetworkInterface> = [](auto...) {
  return Fields{F("kind", &api::compute::NetworkInterface::kind, kOutput),
                F("name", &api::compute::NetworkInterface::name, kOutput),
                F("network", &api::compute::NetworkInterface::network),
                F("subnetwork", &api::compute::NetworkInterface::subnetwork),
                F("networkIP", &api::compute::NetworkInterface::networkIP),
                F("nicType", &api::compute::NetworkInterface::nicType),
                F("stackType", &api::compute::NetworkInterface::stackType),
                F("fingerprint", &api::compute::NetworkInterface::fingerprint, kOutput),
                F("accessConfigs", &api::compute::NetworkInterface::accessConfigs)};
};

template <>
inline constexpr std::string_view kTypeName<api::compute::ScheduledDuration> = "Duration";
template <>
inline constexpr auto kFields<api::compute::ScheduledDuration> = [](auto...) {
  return Fields{F("seconds", &api::compute::ScheduledDuration::seconds),
                F("nanos", &api::compute::ScheduledDuration::nanos)};
};
template <>
inline constexpr std::string_view kTypeName<api::compute::Scheduling> = "Scheduling";
template <>
inline constexpr auto kFields<api::compute::Scheduling> = [](auto...) {
  return Fields{
      F("onHostMaintenance", &api::compute::Scheduling::onHostMaintenance),
      F("automaticRestart", &api::compute::Scheduling::automaticRestart),
      F("preemptible", &api::compute::Scheduling::preemptible),
      F("provisioningModel", &api::compute::Scheduling::provisioningModel),
      F("instanceTerminationAction", &api::compute::Scheduling::instanceTerminationAction),
      F("terminationTime", &api::compute::Scheduling::terminationTime),
      F("maxRunDuration", &api::compute::Scheduling::maxRunDuration)};
};

template <>
inline constexpr std::string_view kTypeName<api::compute::InstanceServiceAccount> =
    "ServiceAccount";
template <>
inline constexpr auto kFields<api::compute::InstanceServiceAccount> = [](auto...) {
  return Fields{F("email", &api::compute::InstanceServiceAccount::email),
                F("scopes", &api::compute::InstanceServiceAccount::scopes)};
};
template <>
inline constexpr std::string_view kTypeName<api::compute::Tags> = "Tags";
template <>
inline constexpr auto kFields<api::compute::Tags> = [](auto...) {
  return Fields{F("items", &api::compute::Tags::items),
                F("fingerprint", &api::compute::Tags::fingerprint)};
};
template <>
inline constexpr std::string_view kTypeName<api::compute::AcceleratorConfig> = "AcceleratorConfig";
template <>
inline constexpr auto kFields<api::compute::AcceleratorConfig> = [](auto...) {
  return Fields{F("acceleratorType", &api::compute::AcceleratorConfig::acceleratorType),
                F("acceleratorCount", &api::compute::AcceleratorConfig::acceleratorCount)};
};

template <>
inline constexpr std::string_view kTypeName<api::compute::Instance> = "Instance";
template <>
inline constexpr auto kFields<api::compute::Instance> = [](auto...) {
  return Fields{
      F("kind", &api::compute::Instance::kind, kOutput),
      F("id", &api::compute::Instance::id, kOutput),
      F("creationTimestamp", &api::compute::Instance::creationTimestamp, kOutput),
      F("name", &api::compute::Instance::name, kRequired | kImmutable),
      F("description", &api::compute::Instance::description),
      F("hostname", &api::compute::Instance::hostname, kImmutable),
      F("tags", &api::compute::Instance::tags),
      F("machineType", &api::compute::Instance::machineType),
      F("status", &api::compute::Instance::status, kOutput),
      F("statusMessage", &api::compute::Instance::statusMessage, kOutput),
      F("zone", &api::compute::Instance::zone, kOutput),
      F("canIpForward", &api::compute::Instance::canIpForward),
      F("networkInterfaces", &api::compute::Instance::networkInterfaces),
      F("disks", &api::compute::Instance::disks),
      F("metadata", &api::compute::Instance::metadata),
      F("serviceAccounts", &api::compute::Instance::serviceAccounts),
      F("selfLink", &api::compute::Instance::selfLink, kOutput),
      F("scheduling", &api::compute::Instance::scheduling),
      F("cpuPlatform", &api::compute::Instance::cpuPlatform, kOutput),
      F("minCpuPlatform", &api::compute::Instance::minCpuPlatform),
      F("labels", &api::compute::Instance::labels),
      F("labelFingerprint", &api::compute::Instance::labelFingerprint),
      F("guestAccelerators", &api::compute::Instance::guestAccelerators),
      F("startRestricted", &api::compute::Instance::startRestricted, kOutput),
      F("deletionProtection", &api::compute::Instance::deletionProtection),
      F("fingerprint", &api::compute::Instance::fingerprint, kOutput),
      F("lastStartTimestamp", &api::compute::Instance::lastStartTimestamp, kOutput),
      F("lastStopTimestamp", &api::compute::Instance::lastStopTimestamp, kOutput),
      F("resourcePolicies", &api::compute::Instance::resourcePolicies),
      F("privateIpv6GoogleAccess", &api::compute::Instance::privateIpv6GoogleAccess),
      F("keyRevocationActionType", &api::compute::Instance::keyRevocationActionType),
      F("shieldedInstanceConfig", &api::compute::Instance::shieldedInstanceConfig),
      F("shieldedInstanceIntegrityPolicy",
        &api::compute::Instance::shieldedInstanceIntegrityPolicy),
      F("confidentialInstanceConfig", &api::compute::Instance::confidentialInstanceConfig),
      F("displayDevice", &api::compute::Instance::displayDevice),
      F("reservationAffinity", &api::compute::Instance::reservationAffinity),
      F("advancedMachineFeatures", &api::compute::Instance::advancedMachineFeatures),
      F("networkPerformanceConfig", &api::compute::Instance::networkPerformanceConfig),
      F("params", &api::compute::Instance::params)};
};
extern template const Type& TypeOf<api::compute::Instance>();
template <>
inline constexpr std::string_view kTypeName<api::compute::InstancesScopedList> =
    "InstancesScopedList";
template <>
inline constexpr auto kFields<api::compute::InstancesScopedList> = [](auto...) {
  return Fields{F("instances", &api::compute::InstancesScopedList::instances),
                F("warning", &api::compute::InstancesScopedList::warning)};
};
template <>
inline constexpr std::string_view kTypeName<api::compute::ListOf<api::compute::Instance>> =
    "InstanceList";
template <>
inline constexpr std::string_view
    kTypeName<api::compute::AggregatedListOf<api::compute::InstancesScopedList>> =
        "InstanceAggregatedList";
template <>
inline constexpr std::string_view kTypeName<api::compute::SerialPortOutput> = "SerialPortOutput";
template <>
inline constexpr auto kFields<api::compute::SerialPortOutput> = [](auto...) {
  return Fields{F("kind", &api::compute::SerialPortOutput::kind),
                F("contents", &api::compute::SerialPortOutput::contents, kKeepEmpty),
                F("start", &api::compute::SerialPortOutput::start),
                F("next", &api::compute::SerialPortOutput::next),
                F("selfLink", &api::compute::SerialPortOutput::selfLink)};
};
}  // namespace fireweed
