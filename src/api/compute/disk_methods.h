// The routes of disks.
#pragma once

#include <cstdint>
#include <string>

#include "api/compute/disk.h"
#include "api/compute/operation.h"
#include "api/compute/requests.h"

namespace fireweed::api::compute {

struct InsertDisk {
  std::string project, zone, requestId, sourceImage;
  Disk body;
};
struct ResizeBody {
  int64_t sizeGb = 0;
};
struct Snapshot {
  std::string name, description;
};

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

inline constexpr Method<InsertDisk, Operation> kInsertDisk{
    kCompute,
    Verb::kPost,
    "/compute/v1/projects/{project}/zones/{zone}/disks",
    "compute.disks.insert",
    "compute.disks.create",
    kProjectResource};
inline constexpr Method<ChangeZonal, Operation> kDeleteDisk{
    kCompute,
    Verb::kDelete,
    "/compute/v1/projects/{project}/zones/{zone}/disks/{name}",
    "compute.disks.delete",
    "compute.disks.delete",
    kProjectResource};
inline constexpr Method<EditZonal<ResizeBody>, Operation> kResizeDisk{
    kCompute,
    Verb::kPost,
    "/compute/v1/projects/{project}/zones/{zone}/disks/{name}/resize",
    "compute.disks.resize",
    "compute.disks.resize",
    kProjectResource};
inline constexpr Method<EditZonal<LabelsBody>, Operation> kSetDiskLabels{
    kCompute,
    Verb::kPost,
    "/compute/v1/projects/{project}/zones/{zone}/disks/{name}/setLabels",
    "compute.disks.setLabels",
    "compute.disks.setLabels",
    kProjectResource};
inline constexpr Method<EditZonal<Snapshot>, Operation> kCreateSnapshot{
    kCompute,
    Verb::kPost,
    "/compute/v1/projects/{project}/zones/{zone}/disks/{name}/createSnapshot",
    "compute.disks.createSnapshot",
    "compute.disks.createSnapshot",
    kProjectResource};

}  // namespace fireweed::api::compute

namespace fireweed {
template <>
inline constexpr auto kFields<api::compute::InsertDisk> = [](auto...) {
  return Fields{F("project", &api::compute::InsertDisk::project, kPath),
                F("zone", &api::compute::InsertDisk::zone, kPath),
                F("requestId", &api::compute::InsertDisk::requestId, kQuery),
                F("sourceImage", &api::compute::InsertDisk::sourceImage, kQuery),
                F("body", &api::compute::InsertDisk::body, kBody)};
};
template <>
inline constexpr std::string_view kTypeName<api::compute::ResizeBody> = "DisksResizeRequest";
template <>
inline constexpr auto kFields<api::compute::ResizeBody> =
    [](auto...) { return Fields{F("sizeGb", &api::compute::ResizeBody::sizeGb, kRequired)}; };
template <>
inline constexpr std::string_view kTypeName<api::compute::Snapshot> = "Snapshot";
template <>
inline constexpr auto kFields<api::compute::Snapshot> = [](auto...) {
  return Fields{F("name", &api::compute::Snapshot::name),
                F("description", &api::compute::Snapshot::description)};
};
}  // namespace fireweed
