// The routes of networks and what belongs to them.
#pragma once

#include "api/compute/requests.h"
#include "api/compute/resources.h"

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

}  // namespace fireweed::api::compute
