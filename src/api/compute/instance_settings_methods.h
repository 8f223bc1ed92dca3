// The routes that edit an instance's settings, its disks and its addresses.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "api/compute/instance.h"
#include "api/compute/operation.h"
#include "api/compute/requests.h"

namespace fireweed::api::compute {

struct MachineTypeBody {
  std::string machineType;
};
struct CpuPlatformBody {
  std::string minCpuPlatform;
};
struct AcceleratorsBody {
  std::vector<AcceleratorConfig> guestAccelerators;
};
struct SetDeletionProtection {
  std::string project, zone, name, requestId;
  bool deletionProtection = true;
};
struct SetDiskAutoDelete {
  std::string project, zone, name, requestId, deviceName;
  std::optional<bool> autoDelete;
};
struct DetachDisk {
  std::string project, zone, name, requestId, deviceName;
};
struct EditAccessConfig {
  std::string project, zone, name, requestId, networkInterface;
  AccessConfig body;
};
struct DeleteAccessConfig {
  std::string project, zone, name, requestId, networkInterface, accessConfig;
};

inline constexpr Method<EditZonal<MachineTypeBody>, Operation> kSetMachineType{
    kCompute,
    Verb::kPost,
    "/compute/v1/projects/{project}/zones/{zone}/instances/{name}/setMachineType",
    "compute.instances.setMachineType",
    "compute.instances.setMachineType",
    kProjectResource};
inline constexpr Method<EditZonal<Scheduling>, Operation> kSetScheduling{
    kCompute,
    Verb::kPost,
    "/compute/v1/projects/{project}/zones/{zone}/instances/{name}/setScheduling",
    "compute.instances.setScheduling",
    "compute.instances.setScheduling",
    kProjectResource};
inline constexpr Method<EditZonal<InstanceServiceAccount>, Operation> kSetServiceAccount{
    kCompute,
    Verb::kPost,
    "/compute/v1/projects/{project}/zones/{zone}/instances/{name}/setServiceAccount",
    "compute.instances.setServiceAccount",
    "compute.instances.setServiceAccount",
    kProjectResource};
inline constexpr Method<EditZonal<CpuPlatformBody>, Operation> kSetMinCpuPlatform{
    kCompute,
    Verb::kPost,
    "/compute/v1/projects/{project}/zones/{zone}/instances/{name}/setMinCpuPlatform",
    "compute.instances.setMinCpuPlatform",
    "compute.instances.setMinCpuPlatform",
    kProjectResource};
inline constexpr Method<EditZonal<AcceleratorsBody>, Operation> kSetMachineResources{
    kCompute,
    Verb::kPost,
    "/compute/v1/projects/{project}/zones/{zone}/instances/{name}/setMachineResources",
    "compute.instances.setMachineResources",
    "compute.instances.setMachineResources",
    kProjectResource};
inline constexpr Method<SetDeletionProtection, Operation> kSetDeletionProtection{
    kCompute,
    Verb::kPost,
    "/compute/v1/projects/{project}/zones/{zone}/instances/{name}/setDeletionProtection",
    "compute.instances.setDeletionProtection",
    "compute.instances.setDeletionProtection",
    kProjectResource};
inline constexpr Method<SetDiskAutoDelete, Operation> kSetDiskAutoDelete{
    kCompute,
    Verb::kPost,
    "/compute/v1/projects/{project}/zones/{zone}/instances/{name}/setDiskAutoDelete",
    "compute.instances.setDiskAutoDelete",
    "compute.instances.setDiskAutoDelete",
    kProjectResource};
inline constexpr Method<EditZonal<AttachedDisk>, Operation> kAttachDisk{
    kCompute,
    Verb::kPost,
    "/compute/v1/projects/{project}/zones/{zone}/instances/{name}/attachDisk",
    "compute.instances.attachDisk",
    "compute.instances.attachDisk",
    kProjectResource};
inline constexpr Method<DetachDisk, Operation> kDetachDisk{
    kCompute,
    Verb::kPost,
    "/compute/v1/projects/{project}/zones/{zone}/instances/{name}/detachDisk",
    "compute.instances.detachDisk",
    "compute.instances.detachDisk",
    kProjectResource};
inline constexpr Method<EditAccessConfig, Operation> kAddAccessConfig{
    kCompute,
    Verb::kPost,
    "/compute/v1/projects/{project}/zones/{zone}/instances/{name}/addAccessConfig",
    "compute.instances.addAccessConfig",
    "compute.instances.addAccessConfig",
    kProjectResource};
inline constexpr Method<EditAccessConfig, Operation> kUpdateAccessConfig{
    kCompute,
    Verb::kPost,
    "/compute/v1/projects/{project}/zones/{zone}/instances/{name}/updateAccessConfig",
    "compute.instances.updateAccessConfig",
    "compute.instances.updateAccessConfig",
    kProjectResource};
inline constexpr Method<DeleteAccessConfig, Operation> kDeleteAccessConfig{
    kCompute,
    Verb::kPost,
    "/compute/v1/projects/{project}/zones/{zone}/instances/{name}/deleteAccessConfig",
    "compute.instances.deleteAccessConfig",
    "compute.instances.deleteAccessConfig",
    kProjectResource};
inline constexpr Method<EditZonal<Json>, Operation> kUpdateInstance{
    kCompute,
    Verb::kPut,
    "/compute/v1/projects/{project}/zones/{zone}/instances/{name}",
    "compute.instances.update",
    "compute.instances.update",
    kProjectResource};
inline constexpr Method<GetZonal, Empty> kGetScreenshot{
    kCompute,
    Verb::kGet,
    "/compute/v1/projects/{project}/zones/{zone}/instances/{name}/screenshot",
    "compute.instances.getScreenshot",
    "compute.instances.getScreenshot",
    kProjectResource};

}  // namespace fireweed::api::compute

namespace fireweed {
template <>
inline constexpr std::string_view kTypeName<api::compute::MachineTypeBody> =
    "InstancesSetMachineTypeRequest";
template <>
inline constexpr auto kFields<api::compute::MachineTypeBody> = [](auto...) {
  return Fields{F("machineType", &api::compute::MachineTypeBody::machineType, kRequired)};
};
template <>
inline constexpr std::string_view kTypeName<api::compute::CpuPlatformBody> =
    "InstancesSetMinCpuPlatformRequest";
template <>
inline constexpr auto kFields<api::compute::CpuPlatformBody> = [](auto...) {
  return Fields{F("minCpuPlatform", &api::compute::CpuPlatformBody::minCpuPlatform)};
};
template <>
inline constexpr std::string_view kTypeName<api::compute::AcceleratorsBody> =
    "InstancesSetMachineResourcesRequest";
template <>
inline constexpr auto kFields<api::compute::AcceleratorsBody> = [](auto...) {
  return Fields{F("guestAccelerators", &api::compute::AcceleratorsBody::guestAccelerators)};
};
template <>
inline constexpr auto kFields<api::compute::SetDeletionProtection> = [](auto...) {
  return Fields{
      F("project", &api::compute::SetDeletionProtection::project, kPath),
      F("zone", &api::compute::SetDeletionProtection::zone, kPath),
      F("name", &api::compute::SetDeletionProtection::name, kPath),
      F("requestId", &api::compute::SetDeletionProtection::requestId, kQuery),
      F("deletionProtection", &api::compute::SetDeletionProtection::deletionProtection, kQuery)};
};
template <>
inline constexpr auto kFields<api::compute::SetDiskAutoDelete> = [](auto...) {
  return Fields{F("project", &api::compute::SetDiskAutoDelete::project, kPath),
                F("zone", &api::compute::SetDiskAutoDelete::zone, kPath),
                F("name", &api::compute::SetDiskAutoDelete::name, kPath),
                F("requestId", &api::compute::SetDiskAutoDelete::requestId, kQuery),
                F("autoDelete", &api::compute::SetDiskAutoDelete::autoDelete, kQuery),
                F("deviceName", &api::compute::SetDiskAutoDelete::deviceName, kQuery)};
};
template <>
inline constexpr auto kFields<api::compute::DetachDisk> = [](auto...) {
  return Fields{F("project", &api::compute::DetachDisk::project, kPath),
                F("zone", &api::compute::DetachDisk::zone, kPath),
                F("name", &api::compute::DetachDisk::name, kPath),
                F("requestId", &api::compute::DetachDisk::requestId, kQuery),
                F("deviceName", &api::compute::DetachDisk::deviceName, kQuery)};
};
template <>
inline constexpr auto kFields<api::compute::EditAccessConfig> = [](auto...) {
  return Fields{F("project", &api::compute::EditAccessConfig::project, kPath),
                F("zone", &api::compute::EditAccessConfig::zone, kPath),
                F("name", &api::compute::EditAccessConfig::name, kPath),
                F("requestId", &api::compute::EditAccessConfig::requestId, kQuery),
                F("networkInterface", &api::compute::EditAccessConfig::networkInterface, kQuery),
                F("body", &api::compute::EditAccessConfig::body, kBody)};
};
template <>
inline constexpr auto kFields<api::compute::DeleteAccessConfig> = [](auto...) {
  return Fields{F("project", &api::compute::DeleteAccessConfig::project, kPath),
                F("zone", &api::compute::DeleteAccessConfig::zone, kPath),
                F("name", &api::compute::DeleteAccessConfig::name, kPath),
                F("requestId", &api::compute::DeleteAccessConfig::requestId, kQuery),
                F("networkInterface", &api::compute::DeleteAccessConfig::networkInterface, kQuery),
                F("accessConfig", &api::compute::DeleteAccessConfig::accessConfig, kQuery)};
};
}  // namespace fireweed
