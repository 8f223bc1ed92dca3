// Networks and their subnetworks as the API shows them.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/compute/service.h"

namespace fireweed::api::compute {

struct RoutingConfig {
  std::string routingMode;
};
struct Network {
  std::string kind = "compute#network";
  int64_t id = 0;
  std::string creationTimestamp, name, description, IPv4Range, gatewayIPv4;
  std::optional<bool> autoCreateSubnetworks;
  int32_t mtu = 1460;
  std::vector<std::string> subnetworks;
  RoutingConfig routingConfig;
  std::string selfLink;
};

struct Subnetwork {
  std::string kind = "compute#subnetwork";
  int64_t id = 0;
  std::string creationTimestamp, name, description, network, ipCidrRange, gatewayAddress, region,
      purpose, stackType, selfLink;
  bool privateIpGoogleAccess = false;
  Bytes fingerprint;
};
struct SubnetworksScopedList {
  std::vector<Subnetwork> subnetworks;
  std::optional<Warning> warning;
};

}  // namespace fireweed::api::compute

namespace fireweed {
template <>
inline constexpr std::string_view kTypeName<api::compute::RoutingConfig> = "NetworkRoutingConfig";
template <>
inline constexpr auto kFields<api::compute::RoutingConfig> =
    [](auto...) { return Fields{F("routingMode", &api::compute::RoutingConfig::routingMode)}; };
template <>
inline constexpr std::string_view kTypeName<api::compute::Network> = "Network";
template <>
inline constexpr auto kFields<api::compute::Network> = [](auto...) {
  return Fields{F("kind", &api::compute::Network::kind, kOutput),
                F("id", &api::compute::Network::id, kOutput),
                F("creationTimestamp", &api::compute::Network::creationTimestamp, kOutput),
                F("name", &api::compute::Network::name, kRequired | kImmutable),
                F("description", &api::compute::Network::description),
                F("IPv4Range", &api::compute::Network::IPv4Range, kImmutable),
                F("gatewayIPv4", &api::compute::Network::gatewayIPv4, kOutput),
                F("autoCreateSubnetworks", &api::compute::Network::autoCreateSubnetworks),
                F("mtu", &api::compute::Network::mtu),
                F("subnetworks", &api::compute::Network::subnetworks, kOutput),
                F("routingConfig", &api::compute::Network::routingConfig),
                F("selfLink", &api::compute::Network::selfLink, kOutput)};
};
template <>
inline constexpr std::string_view kTypeName<api::compute::ListOf<api::compute::Network>> =
    "NetworkList";
template <>
inline constexpr std::string_view kTypeName<api::compute::Subnetwork> = "Subnetwork";
template <>
inline constexpr auto kFields<api::compute::Subnetwork> = [](auto...) {
  return Fields{F("kind", &api::compute::Subnetwork::kind, kOutput),
                F("id", &api::compute::Subnetwork::id, kOutput),
                F("creationTimestamp", &api::compute::Subnetwork::creationTimestamp, kOutput),
                F("name", &api::compute::Subnetwork::name, kRequired | kImmutable),
                F("description", &api::compute::Subnetwork::description),
                F("network", &api::compute::Subnetwork::network, kImmutable),
                F("ipCidrRange", &api::compute::Subnetwork::ipCidrRange, kImmutable),
                F("gatewayAddress", &api::compute::Subnetwork::gatewayAddress, kOutput),
                F("region", &api::compute::Subnetwork::region, kOutput),
                F("purpose", &api::compute::Subnetwork::purpose),
                F("stackType", &api::compute::Subnetwork::stackType),
                F("privateIpGoogleAccess", &api::compute::Subnetwork::privateIpGoogleAccess),
                F("fingerprint", &api::compute::Subnetwork::fingerprint),
                F("selfLink", &api::compute::Subnetwork::selfLink, kOutput)};
};
template <>
inline constexpr std::string_view kTypeName<api::compute::ListOf<api::compute::Subnetwork>> =
    "SubnetworkList";
template <>
inline constexpr std::string_view kTypeName<api::compute::SubnetworksScopedList> =
    "SubnetworksScopedList";
template <>
inline constexpr auto kFields<api::compute::SubnetworksScopedList> = [](auto...) {
  return Fields{F("subnetworks", &api::compute::SubnetworksScopedList::subnetworks),
                F("warning", &api::compute::SubnetworksScopedList::warning)};
};
template <>
inline constexpr std::string_view
    kTypeName<api::compute::AggregatedListOf<api::compute::SubnetworksScopedList>> =
        "SubnetworkAggregatedList";
}  // namespace fireweed
