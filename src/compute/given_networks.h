// The network every project finds, with its subnetworks and firewall rules, and the subnetworks that come with a
// network in auto mode. Pure.
#pragma once

#include <string>
#include <vector>

#include "api/compute/firewall.h"
#include "api/compute/network.h"

namespace fireweed::compute {

api::compute::Network DefaultNetwork(const std::string& project);
// The subnetwork of an auto-mode network in a region: each region has its own /20.
api::compute::Subnetwork AutoSubnetwork(const std::string& project, const std::string& network,
                                        const std::string& region);
std::vector<std::string> AutoSubnetworkLinks(const std::string& project,
                                             const std::string& network);
std::vector<api::compute::Firewall> DefaultFirewalls(const std::string& project);

}  // namespace fireweed::compute
