// The routes of what the place offers: zones, regions, and types of machines, disks and accelerators.
#pragma once

#include "api/compute/catalogue.h"
#include "api/compute/requests.h"

namespace fireweed::api::compute {

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

}  // namespace fireweed::api::compute
