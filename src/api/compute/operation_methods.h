// The routes of operations: get, list and wait in each scope, and a list over all scopes.
#pragma once

#include "api/compute/operation.h"
#include "api/compute/requests.h"

namespace fireweed::api::compute {

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

}  // namespace fireweed::api::compute
