// The routes of disks.
#pragma once

#include "api/compute/requests.h"
#include "api/compute/resources.h"

namespace fireweed::api::compute {

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
