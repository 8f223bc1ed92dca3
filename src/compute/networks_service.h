// What for: networks, subnetworks, firewall rules, routes and addresses on the wire (ADR 57). Every project finds
//   the `default` network with its subnetworks and rules. All instances are on the daemon's one bridge: what is kept
//   here is shown again, and filters nothing.
// Who calls: the router, on pool threads.
#pragma once

#include <string>

#include "api/compute/network_methods.h"
#include "compute/network_records.h"
#include "compute/stored_resource.h"

namespace fireweed::compute {

class NetworksService {
 public:
  NetworksService(Catalog& catalog, IdSource& ids, const Clock& clock);
  void Serve(net::Router& router);

  api::compute::AggregatedListOf<api::compute::SubnetworksScopedList> AggregateSubnetworks(
      const api::compute::ListProject& request, const net::Call& call);
  api::compute::AggregatedListOf<api::compute::AddressesScopedList> AggregateAddresses(
      const api::compute::ListProject& request, const net::Call& call);

 private:
  StoredResources<api::compute::Network> networks_;
  StoredResources<api::compute::Subnetwork> subnetworks_;
  StoredResources<api::compute::Firewall> firewalls_;
  StoredResources<api::compute::Route> routes_;
  StoredResources<api::compute::Address> addresses_;
};

// The link of a network by a reference in any form; `default` is always there. kNotFound.
std::string NetworkLink(Txn& txn, const std::string& project, std::string_view reference);

// A subnetwork by a reference in any form; with an empty one, the network's in this region. An empty network means
// any. kNotFound, or kInvalid where the network has none there.
api::compute::Subnetwork FindSubnetwork(Txn& txn, const std::string& project,
                                        const std::string& region, std::string_view network,
                                        std::string_view reference);

}  // namespace fireweed::compute
