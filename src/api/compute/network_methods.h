// The routes of networks and what belongs to them.
#pragma once

#include "api/compute/firewall.h"
#include "api/compute/network.h"
#include "api/compute/operation.h"
#include "api/compute/requests.h"

namespace fireweed::api::compute {

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
inline constexpr Method<InsertGlobal<Network>, Operation> kInsertNetwork{
    kCompute,
    Verb::kPost,
    "/compute/v1/projects/{project}/global/networks",
    "compute.networks.insert",
    "compute.networks.create",
    kProjectResource};
inline constexpr Method<ChangeGlobal, Operation> kDeleteNetwork{
    kCompute,
    Verb::kDelete,
    "/compute/v1/projects/{project}/global/networks/{name}",
    "compute.networks.delete",
    "compute.networks.delete",
    kProjectResource};
inline constexpr Method<EditGlobal<Json>, Operation> kPatchNetwork{
    kCompute,
    Verb::kPatch,
    "/compute/v1/projects/{project}/global/networks/{name}",
    "compute.networks.patch",
    "compute.networks.update",
    kProjectResource};
inline constexpr Method<ListRegional, ListOf<Subnetwork>> kListSubnetworks{
    kCompute,
    Verb::kGet,
    "/compute/v1/projects/{project}/regions/{region}/subnetworks",
    "compute.subnetworks.list",
    "compute.subnetworks.list",
    kProjectResource};
inline constexpr Method<ListProject, AggregatedListOf<SubnetworksScopedList>> kAggregateSubnetworks{
    kCompute,
    Verb::kGet,
    "/compute/v1/projects/{project}/aggregated/subnetworks",
    "compute.subnetworks.aggregatedList",
    "compute.subnetworks.list",
    kProjectResource};
inline constexpr Method<GetRegional, Subnetwork> kGetSubnetwork{
    kCompute,
    Verb::kGet,
    "/compute/v1/projects/{project}/regions/{region}/subnetworks/{name}",
    "compute.subnetworks.get",
    "compute.subnetworks.get",
    kProjectResource};
inline constexpr Method<InsertRegional<Subnetwork>, Operation> kInsertSubnetwork{
    kCompute,
    Verb::kPost,
    "/compute/v1/projects/{project}/regions/{region}/subnetworks",
    "compute.subnetworks.insert",
    "compute.subnetworks.create",
    kProjectResource};
inline constexpr Method<ChangeRegional, Operation> kDeleteSubnetwork{
    kCompute,
    Verb::kDelete,
    "/compute/v1/projects/{project}/regions/{region}/subnetworks/{name}",
    "compute.subnetworks.delete",
    "compute.subnetworks.delete",
    kProjectResource};
inline constexpr Method<EditRegional<Json>, Operation> kPatchSubnetwork{
    kCompute,
    Verb::kPatch,
    "/compute/v1/projects/{project}/regions/{region}/subnetworks/{name}",
    "compute.subnetworks.patch",
    "compute.subnetworks.update",
    kProjectResource};
inline constexpr Method<ListProject, ListOf<Firewall>> kListFirewalls{
    kCompute,
    Verb::kGet,
    "/compute/v1/projects/{project}/global/firewalls",
    "compute.firewalls.list",
    "compute.firewalls.list",
    kProjectResource};
inline constexpr Method<GetGlobal, Firewall> kGetFirewall{
    kCompute,
    Verb::kGet,
    "/compute/v1/projects/{project}/global/firewalls/{name}",
    "compute.firewalls.get",
    "compute.firewalls.get",
    kProjectResource};
inline constexpr Method<InsertGlobal<Firewall>, Operation> kInsertFirewall{
    kCompute,
    Verb::kPost,
    "/compute/v1/projects/{project}/global/firewalls",
    "compute.firewalls.insert",
    "compute.firewalls.create",
    kProjectResource};
inline constexpr Method<ChangeGlobal, Operation> kDeleteFirewall{
    kCompute,
    Verb::kDelete,
    "/compute/v1/projects/{project}/global/firewalls/{name}",
    "compute.firewalls.delete",
    "compute.firewalls.delete",
    kProjectResource};
inline constexpr Method<EditGlobal<Json>, Operation> kPatchFirewall{
    kCompute,
    Verb::kPatch,
    "/compute/v1/projects/{project}/global/firewalls/{name}",
    "compute.firewalls.patch",
    "compute.firewalls.update",
    kProjectResource};
inline constexpr Method<EditGlobal<Json>, Operation> kUpdateFirewall{
    kCompute,
    Verb::kPut,
    "/compute/v1/projects/{project}/global/firewalls/{name}",
    "compute.firewalls.update",
    "compute.firewalls.update",
    kProjectResource};
inline constexpr Method<ListProject, ListOf<Route>> kListRoutes{
    kCompute,
    Verb::kGet,
    "/compute/v1/projects/{project}/global/routes",
    "compute.routes.list",
    "compute.routes.list",
    kProjectResource};
inline constexpr Method<GetGlobal, Route> kGetRoute{
    kCompute,
    Verb::kGet,
    "/compute/v1/projects/{project}/global/routes/{name}",
    "compute.routes.get",
    "compute.routes.get",
    kProjectResource};
inline constexpr Method<InsertGlobal<Route>, Operation> kInsertRoute{
    kCompute,
    Verb::kPost,
    "/compute/v1/projects/{project}/global/routes",
    "compute.routes.insert",
    "compute.routes.create",
    kProjectResource};
inline constexpr Method<ChangeGlobal, Operation> kDeleteRoute{
    kCompute,
    Verb::kDelete,
    "/compute/v1/projects/{project}/global/routes/{name}",
    "compute.routes.delete",
    "compute.routes.delete",
    kProjectResource};
inline constexpr Method<ListProject, ListOf<Address>> kListGlobalAddresses{
    kCompute,
    Verb::kGet,
    "/compute/v1/projects/{project}/global/addresses",
    "compute.globalAddresses.list",
    "compute.globalAddresses.list",
    kProjectResource};
inline constexpr Method<GetGlobal, Address> kGetGlobalAddress{
    kCompute,
    Verb::kGet,
    "/compute/v1/projects/{project}/global/addresses/{name}",
    "compute.globalAddresses.get",
    "compute.globalAddresses.get",
    kProjectResource};
inline constexpr Method<InsertGlobal<Address>, Operation> kInsertGlobalAddress{
    kCompute,
    Verb::kPost,
    "/compute/v1/projects/{project}/global/addresses",
    "compute.globalAddresses.insert",
    "compute.globalAddresses.create",
    kProjectResource};
inline constexpr Method<ChangeGlobal, Operation> kDeleteGlobalAddress{
    kCompute,
    Verb::kDelete,
    "/compute/v1/projects/{project}/global/addresses/{name}",
    "compute.globalAddresses.delete",
    "compute.globalAddresses.delete",
    kProjectResource};
inline constexpr Method<ListRegional, ListOf<Address>> kListAddresses{
    kCompute,
    Verb::kGet,
    "/compute/v1/projects/{project}/regions/{region}/addresses",
    "compute.addresses.list",
    "compute.addresses.list",
    kProjectResource};
inline constexpr Method<ListProject, AggregatedListOf<AddressesScopedList>> kAggregateAddresses{
    kCompute,
    Verb::kGet,
    "/compute/v1/projects/{project}/aggregated/addresses",
    "compute.addresses.aggregatedList",
    "compute.addresses.list",
    kProjectResource};
inline constexpr Method<GetRegional, Address> kGetAddress{
    kCompute,
    Verb::kGet,
    "/compute/v1/projects/{project}/regions/{region}/addresses/{name}",
    "compute.addresses.get",
    "compute.addresses.get",
    kProjectResource};
inline constexpr Method<InsertRegional<Address>, Operation> kInsertAddress{
    kCompute,
    Verb::kPost,
    "/compute/v1/projects/{project}/regions/{region}/addresses",
    "compute.addresses.insert",
    "compute.addresses.create",
    kProjectResource};
inline constexpr Method<ChangeRegional, Operation> kDeleteAddress{
    kCompute,
    Verb::kDelete,
    "/compute/v1/projects/{project}/regions/{region}/addresses/{name}",
    "compute.addresses.delete",
    "compute.addresses.delete",
    kProjectResource};

}  // namespace fireweed::api::compute
