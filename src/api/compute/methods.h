// The routes of Compute Engine and what each takes. `project` and the scope come from the path; lists take
// filter, paging and order from the query.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "api/compute/catalogue.h"
#include "api/compute/instance.h"
#include "api/compute/operation.h"
#include "api/compute/resources.h"

namespace fireweed::api::compute {

struct ProjectRequest {
  std::string project;
};
struct ListProject {
  std::string project, filter, pageToken, orderBy;
  int32_t maxResults = 500;
  bool includeAllScopes = false;
};
struct GetGlobal {
  std::string project, name;
};
struct ListZonal {
  std::string project, zone, filter, pageToken, orderBy;
  int32_t maxResults = 500;
};
struct GetZonal {
  std::string project, zone, name;
};
struct ListRegional {
  std::string project, region, filter, pageToken, orderBy;
  int32_t maxResults = 500;
};
struct GetRegional {
  std::string project, region, name;
};

struct InsertInstance {
  std::string project, zone, requestId, sourceInstanceTemplate;
  Instance body;
};
struct ChangeInstance {  // delete, start, stop, reset
  std::string project, zone, name, requestId;
};
struct SetInstanceMetadata {
  std::string project, zone, name, requestId;
  Metadata body;
};
struct SetProjectMetadata {
  std::string project, requestId;
  Metadata body;
};
struct InstanceLabels {
  std::map<std::string, std::string> labels;
  Bytes labelFingerprint;
};
struct SetInstanceLabels {
  std::string project, zone, name, requestId;
  InstanceLabels body;
};
struct SetInstanceTags {
  std::string project, zone, name, requestId;
  Tags body;
};
struct GetSerialPort {
  std::string project, zone, name;
  int32_t port = 1;
  std::optional<int64_t> start;
};

inline constexpr std::string_view kProjectResource = "projects/{project}";

// Instances.
inline constexpr Method<InsertInstance, Operation> kInsertInstance{
    kCompute,
    Verb::kPost,
    "/compute/v1/projects/{project}/zones/{zone}/instances",
    "compute.instances.insert",
    "compute.instances.create",
    kProjectResource};
inline constexpr Method<ListZonal, ListOf<Instance>> kListInstances{
    kCompute,
    Verb::kGet,
    "/compute/v1/projects/{project}/zones/{zone}/instances",
    "compute.instances.list",
    "compute.instances.list",
    kProjectResource};
inline constexpr Method<ListProject, AggregatedListOf<InstancesScopedList>> kAggregateInstances{
    kCompute,
    Verb::kGet,
    "/compute/v1/projects/{project}/aggregated/instances",
    "compute.instances.aggregatedList",
    "compute.instances.list",
    kProjectResource};
inline constexpr Method<GetZonal, Instance> kGetInstance{
    kCompute,
    Verb::kGet,
    "/compute/v1/projects/{project}/zones/{zone}/instances/{name}",
    "compute.instances.get",
    "compute.instances.get",
    kProjectResource};
inline constexpr Method<ChangeInstance, Operation> kDeleteInstance{
    kCompute,
    Verb::kDelete,
    "/compute/v1/projects/{project}/zones/{zone}/instances/{name}",
    "compute.instances.delete",
    "compute.instances.delete",
    kProjectResource};
inline constexpr Method<ChangeInstance, Operation> kStartInstance{
    kCompute,
    Verb::kPost,
    "/compute/v1/projects/{project}/zones/{zone}/instances/{name}/start",
    "compute.instances.start",
    "compute.instances.start",
    kProjectResource};
inline constexpr Method<ChangeInstance, Operation> kStopInstance{
    kCompute,
    Verb::kPost,
    "/compute/v1/projects/{project}/zones/{zone}/instances/{name}/stop",
    "compute.instances.stop",
    "compute.instances.stop",
    kProjectResource};
inline constexpr Method<ChangeInstance, Operation> kResetInstance{
    kCompute,
    Verb::kPost,
    "/compute/v1/projects/{project}/zones/{zone}/instances/{name}/reset",
    "compute.instances.reset",
    "compute.instances.reset",
    kProjectResource};
inline constexpr Method<SetInstanceMetadata, Operation> kSetInstanceMetadata{
    kCompute,
    Verb::kPost,
    "/compute/v1/projects/{project}/zones/{zone}/instances/{name}/setMetadata",
    "compute.instances.setMetadata",
    "compute.instances.setMetadata",
    kProjectResource};
inline constexpr Method<SetInstanceLabels, Operation> kSetInstanceLabels{
    kCompute,
    Verb::kPost,
    "/compute/v1/projects/{project}/zones/{zone}/instances/{name}/setLabels",
    "compute.instances.setLabels",
    "compute.instances.setLabels",
    kProjectResource};
inline constexpr Method<SetInstanceTags, Operation> kSetInstanceTags{
    kCompute,
    Verb::kPost,
    "/compute/v1/projects/{project}/zones/{zone}/instances/{name}/setTags",
    "compute.instances.setTags",
    "compute.instances.setTags",
    kProjectResource};
inline constexpr Method<GetSerialPort, SerialPortOutput> kGetSerialPort{
    kCompute,
    Verb::kGet,
    "/compute/v1/projects/{project}/zones/{zone}/instances/{name}/serialPort",
    "compute.instances.getSerialPortOutput",
    "compute.instances.getSerialPortOutput",
    kProjectResource};

// Operations, in each scope: get, list, wait; and over all scopes.
inline constexpr Method<GetZonal, Operation> kGetZoneOperation{
    kCompute,
    Verb::kGet,
    "/compute/v1/projects/{project}/zones/{zone}/operations/{name}",
    "compute.zoneOperations.get",
    "compute.zoneOperations.get",
    kProjectResource};
inline constexpr Method<ListZonal, ListOf<Operation>> kListZoneOperations{
    kCompute,
    Verb::kGet,
    "/compute/v1/projects/{project}/zones/{zone}/operations",
    "compute.zoneOperations.list",
    "compute.zoneOperations.list",
    kProjectResource};
inline constexpr Method<GetZonal, Operation> kWaitZoneOperation{
    kCompute,
    Verb::kPost,
    "/compute/v1/projects/{project}/zones/{zone}/operations/{name}/wait",
    "compute.zoneOperations.wait",
    "compute.zoneOperations.get",
    kProjectResource};
inline constexpr Method<GetRegional, Operation> kGetRegionOperation{
    kCompute,
    Verb::kGet,
    "/compute/v1/projects/{project}/regions/{region}/operations/{name}",
    "compute.regionOperations.get",
    "compute.regionOperations.get",
    kProjectResource};
inline constexpr Method<ListRegional, ListOf<Operation>> kListRegionOperations{
    kCompute,
    Verb::kGet,
    "/compute/v1/projects/{project}/regions/{region}/operations",
    "compute.regionOperations.list",
    "compute.regionOperations.list",
    kProjectResource};
inline constexpr Method<GetRegional, Operation> kWaitRegionOperation{
    kCompute,
    Verb::kPost,
    "/compute/v1/projects/{project}/regions/{region}/operations/{name}/wait",
    "compute.regionOperations.wait",
    "compute.regionOperations.get",
    kProjectResource};
inline constexpr Method<GetGlobal, Operation> kGetGlobalOperation{
    kCompute,
    Verb::kGet,
    "/compute/v1/projects/{project}/global/operations/{name}",
    "compute.globalOperations.get",
    "compute.globalOperations.get",
    kProjectResource};
inline constexpr Method<ListProject, ListOf<Operation>> kListGlobalOperations{
    kCompute,
    Verb::kGet,
    "/compute/v1/projects/{project}/global/operations",
    "compute.globalOperations.list",
    "compute.globalOperations.list",
    kProjectResource};
inline constexpr Method<GetGlobal, Operation> kWaitGlobalOperation{
    kCompute,
    Verb::kPost,
    "/compute/v1/projects/{project}/global/operations/{name}/wait",
    "compute.globalOperations.wait",
    "compute.globalOperations.get",
    kProjectResource};
inline constexpr Method<ListProject, AggregatedListOf<OperationsScopedList>> kAggregateOperations{
    kCompute,
    Verb::kGet,
    "/compute/v1/projects/{project}/aggregated/operations",
    "compute.globalOperations.aggregatedList",
    "compute.globalOperations.list",
    kProjectResource};

// The project.
inline constexpr Method<ProjectRequest, Project> kGetProject{kCompute,
                                                             Verb::kGet,
                                                             "/compute/v1/projects/{project}",
                                                             "compute.projects.get",
                                                             "compute.projects.get",
                                                             kProjectResource};
inline constexpr Method<SetProjectMetadata, Operation> kSetProjectMetadata{
    kCompute,
    Verb::kPost,
    "/compute/v1/projects/{project}/setCommonInstanceMetadata",
    "compute.projects.setCommonInstanceMetadata",
    "compute.projects.setCommonInstanceMetadata",
    kProjectResource};

// The catalogue.
inline constexpr Method<ListProject, ListOf<Zone>> kListZones{
    kCompute,
    Verb::kGet,
    "/compute/v1/projects/{project}/zones",
    "compute.zones.list",
    "compute.zones.list",
    kProjectResource};
inline constexpr Method<GetGlobal, Zone> kGetZone{kCompute,
                                                  Verb::kGet,
                                                  "/compute/v1/projects/{project}/zones/{name}",
                                                  "compute.zones.get",
                                                  "compute.zones.get",
                                                  kProjectResource};
inline constexpr Method<ListProject, ListOf<Region>> kListRegions{
    kCompute,
    Verb::kGet,
    "/compute/v1/projects/{project}/regions",
    "compute.regions.list",
    "compute.regions.list",
    kProjectResource};
inline constexpr Method<GetGlobal, Region> kGetRegion{
    kCompute,
    Verb::kGet,
    "/compute/v1/projects/{project}/regions/{name}",
    "compute.regions.get",
    "compute.regions.get",
    kProjectResource};
inline constexpr Method<ListZonal, ListOf<MachineType>> kListMachineTypes{
    kCompute,
    Verb::kGet,
    "/compute/v1/projects/{project}/zones/{zone}/machineTypes",
    "compute.machineTypes.list",
    "compute.machineTypes.list",
    kProjectResource};
inline constexpr Method<GetZonal, MachineType> kGetMachineType{
    kCompute,
    Verb::kGet,
    "/compute/v1/projects/{project}/zones/{zone}/machineTypes/{name}",
    "compute.machineTypes.get",
    "compute.machineTypes.get",
    kProjectResource};
inline constexpr Method<ListProject, AggregatedListOf<MachineTypesScopedList>>
    kAggregateMachineTypes{kCompute,
                           Verb::kGet,
                           "/compute/v1/projects/{project}/aggregated/machineTypes",
                           "compute.machineTypes.aggregatedList",
                           "compute.machineTypes.list",
                           kProjectResource};
inline constexpr Method<ListZonal, ListOf<DiskType>> kListDiskTypes{
    kCompute,
    Verb::kGet,
    "/compute/v1/projects/{project}/zones/{zone}/diskTypes",
    "compute.diskTypes.list",
    "compute.diskTypes.list",
    kProjectResource};
inline constexpr Method<GetZonal, DiskType> kGetDiskType{
    kCompute,
    Verb::kGet,
    "/compute/v1/projects/{project}/zones/{zone}/diskTypes/{name}",
    "compute.diskTypes.get",
    "compute.diskTypes.get",
    kProjectResource};
inline constexpr Method<ListProject, AggregatedListOf<DiskTypesScopedList>> kAggregateDiskTypes{
    kCompute,
    Verb::kGet,
    "/compute/v1/projects/{project}/aggregated/diskTypes",
    "compute.diskTypes.aggregatedList",
    "compute.diskTypes.list",
    kProjectResource};
inline constexpr Method<ListZonal, ListOf<AcceleratorType>> kListAcceleratorTypes{
    kCompute,
    Verb::kGet,
    "/compute/v1/projects/{project}/zones/{zone}/acceleratorTypes",
    "compute.acceleratorTypes.list",
    "compute.acceleratorTypes.list",
    kProjectResource};
inline constexpr Method<GetZonal, AcceleratorType> kGetAcceleratorType{
    kCompute,
    Verb::kGet,
    "/compute/v1/projects/{project}/zones/{zone}/acceleratorTypes/{name}",
    "compute.acceleratorTypes.get",
    "compute.acceleratorTypes.get",
    kProjectResource};
inline constexpr Method<ListProject, AggregatedListOf<AcceleratorTypesScopedList>>
    kAggregateAcceleratorTypes{kCompute,
                               Verb::kGet,
                               "/compute/v1/projects/{project}/aggregated/acceleratorTypes",
                               "compute.acceleratorTypes.aggregatedList",
                               "compute.acceleratorTypes.list",
                               kProjectResource};
inline constexpr Method<ListProject, ListOf<Network>> kListNetworks{
    kCompute,
    Verb::kGet,
    "/compute/v1/projects/{project}/global/networks",
    "compute.networks.list",
    "compute.networks.list",
    kProjectResource};
inline constexpr Method<GetGlobal, Network> kGetNetwork{
    kCompute,
    Verb::kGet,
    "/compute/v1/projects/{project}/global/networks/{name}",
    "compute.networks.get",
    "compute.networks.get",
    kProjectResource};

// Images and disks. Public image projects are open to everyone who is signed in, so the handlers decide.
inline constexpr Method<ListProject, ListOf<Image>> kListImages{
    kCompute, Verb::kGet, "/compute/v1/projects/{project}/global/images", "compute.images.list"};
inline constexpr Method<GetGlobal, Image> kGetImage{
    kCompute, Verb::kGet, "/compute/v1/projects/{project}/global/images/{name}",
    "compute.images.get"};
inline constexpr Method<GetGlobal, Image> kGetImageFromFamily{
    kCompute, Verb::kGet, "/compute/v1/projects/{project}/global/images/family/{name}",
    "compute.images.getFromFamily"};
inline constexpr Method<GetZonal, ImageFamilyView> kGetImageFamilyView{
    kCompute, Verb::kGet, "/compute/v1/projects/{project}/zones/{zone}/imageFamilyViews/{name}",
    "compute.imageFamilyViews.get"};
inline constexpr Method<ListZonal, ListOf<Disk>> kListDisks{
    kCompute,
    Verb::kGet,
    "/compute/v1/projects/{project}/zones/{zone}/disks",
    "compute.disks.list",
    "compute.disks.list",
    kProjectResource};
inline constexpr Method<ListProject, AggregatedListOf<DisksScopedList>> kAggregateDisks{
    kCompute,
    Verb::kGet,
    "/compute/v1/projects/{project}/aggregated/disks",
    "compute.disks.aggregatedList",
    "compute.disks.list",
    kProjectResource};
inline constexpr Method<GetZonal, Disk> kGetDisk{
    kCompute,
    Verb::kGet,
    "/compute/v1/projects/{project}/zones/{zone}/disks/{name}",
    "compute.disks.get",
    "compute.disks.get",
    kProjectResource};

}  // namespace fireweed::api::compute

namespace fireweed {
template <>
inline constexpr auto kFields<api::compute::ProjectRequest> =
    std::tuple{F("project", &api::compute::ProjectRequest::project, kPath)};
template <>
inline constexpr auto kFields<api::compute::ListProject> =
    std::tuple{F("project", &api::compute::ListProject::project, kPath),
               F("filter", &api::compute::ListProject::filter, kQuery),
               F("pageToken", &api::compute::ListProject::pageToken, kQuery),
               F("orderBy", &api::compute::ListProject::orderBy, kQuery),
               F("maxResults", &api::compute::ListProject::maxResults, kQuery),
               F("includeAllScopes", &api::compute::ListProject::includeAllScopes, kQuery)};
template <>
inline constexpr auto kFields<api::compute::GetGlobal> =
    std::tuple{F("project", &api::compute::GetGlobal::project, kPath),
               F("name", &api::compute::GetGlobal::name, kPath)};
template <>
inline constexpr auto kFields<api::compute::ListZonal> =
    std::tuple{F("project", &api::compute::ListZonal::project, kPath),
               F("zone", &api::compute::ListZonal::zone, kPath),
               F("filter", &api::compute::ListZonal::filter, kQuery),
               F("pageToken", &api::compute::ListZonal::pageToken, kQuery),
               F("orderBy", &api::compute::ListZonal::orderBy, kQuery),
               F("maxResults", &api::compute::ListZonal::maxResults, kQuery)};
template <>
inline constexpr auto kFields<api::compute::GetZonal> =
    std::tuple{F("project", &api::compute::GetZonal::project, kPath),
               F("zone", &api::compute::GetZonal::zone, kPath),
               F("name", &api::compute::GetZonal::name, kPath)};
template <>
inline constexpr auto kFields<api::compute::ListRegional> =
    std::tuple{F("project", &api::compute::ListRegional::project, kPath),
               F("region", &api::compute::ListRegional::region, kPath),
               F("filter", &api::compute::ListRegional::filter, kQuery),
               F("pageToken", &api::compute::ListRegional::pageToken, kQuery),
               F("orderBy", &api::compute::ListRegional::orderBy, kQuery),
               F("maxResults", &api::compute::ListRegional::maxResults, kQuery)};
template <>
inline constexpr auto kFields<api::compute::GetRegional> =
    std::tuple{F("project", &api::compute::GetRegional::project, kPath),
               F("region", &api::compute::GetRegional::region, kPath),
               F("name", &api::compute::GetRegional::name, kPath)};
template <>
inline constexpr auto kFields<api::compute::InsertInstance> = std::tuple{
    F("project", &api::compute::InsertInstance::project, kPath),
    F("zone", &api::compute::InsertInstance::zone, kPath),
    F("requestId", &api::compute::InsertInstance::requestId, kQuery),
    F("sourceInstanceTemplate", &api::compute::InsertInstance::sourceInstanceTemplate, kQuery),
    F("body", &api::compute::InsertInstance::body, kBody)};
template <>
inline constexpr auto kFields<api::compute::ChangeInstance> =
    std::tuple{F("project", &api::compute::ChangeInstance::project, kPath),
               F("zone", &api::compute::ChangeInstance::zone, kPath),
               F("name", &api::compute::ChangeInstance::name, kPath),
               F("requestId", &api::compute::ChangeInstance::requestId, kQuery)};
template <>
inline constexpr auto kFields<api::compute::SetInstanceMetadata> =
    std::tuple{F("project", &api::compute::SetInstanceMetadata::project, kPath),
               F("zone", &api::compute::SetInstanceMetadata::zone, kPath),
               F("name", &api::compute::SetInstanceMetadata::name, kPath),
               F("requestId", &api::compute::SetInstanceMetadata::requestId, kQuery),
               F("body", &api::compute::SetInstanceMetadata::body, kBody)};
template <>
inline constexpr auto kFields<api::compute::SetProjectMetadata> =
    std::tuple{F("project", &api::compute::SetProjectMetadata::project, kPath),
               F("requestId", &api::compute::SetProjectMetadata::requestId, kQuery),
               F("body", &api::compute::SetProjectMetadata::body, kBody)};
template <>
inline constexpr std::string_view kTypeName<api::compute::InstanceLabels> =
    "InstancesSetLabelsRequest";
template <>
inline constexpr auto kFields<api::compute::InstanceLabels> =
    std::tuple{F("labels", &api::compute::InstanceLabels::labels),
               F("labelFingerprint", &api::compute::InstanceLabels::labelFingerprint)};
template <>
inline constexpr auto kFields<api::compute::SetInstanceLabels> =
    std::tuple{F("project", &api::compute::SetInstanceLabels::project, kPath),
               F("zone", &api::compute::SetInstanceLabels::zone, kPath),
               F("name", &api::compute::SetInstanceLabels::name, kPath),
               F("requestId", &api::compute::SetInstanceLabels::requestId, kQuery),
               F("body", &api::compute::SetInstanceLabels::body, kBody)};
template <>
inline constexpr auto kFields<api::compute::SetInstanceTags> =
    std::tuple{F("project", &api::compute::SetInstanceTags::project, kPath),
               F("zone", &api::compute::SetInstanceTags::zone, kPath),
               F("name", &api::compute::SetInstanceTags::name, kPath),
               F("requestId", &api::compute::SetInstanceTags::requestId, kQuery),
               F("body", &api::compute::SetInstanceTags::body, kBody)};
template <>
inline constexpr auto kFields<api::compute::GetSerialPort> =
    std::tuple{F("project", &api::compute::GetSerialPort::project, kPath),
               F("zone", &api::compute::GetSerialPort::zone, kPath),
               F("name", &api::compute::GetSerialPort::name, kPath),
               F("port", &api::compute::GetSerialPort::port, kQuery),
               F("start", &api::compute::GetSerialPort::start, kQuery)};
}  // namespace fireweed
