// Networks and what belongs to them, as the API shows them.
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
  std::string creationTimestamp, name, description;
  bool autoCreateSubnetworks = true;
  std::vector<std::string> subnetworks;
  RoutingConfig routingConfig;
  std::string selfLink;
};

}  // namespace fireweed::api::compute

namespace fireweed {
template <>
inline constexpr std::string_view kTypeName<api::compute::RoutingConfig> = "NetworkRoutingConfig";
template <>
inline constexpr auto kFields<api::compute::RoutingConfig> =
    std::tuple{F("routingMode", &api::compute::RoutingConfig::routingMode)};
template <>
inline constexpr std::string_view kTypeName<api::compute::Network> = "Network";
template <>
inline constexpr auto kFields<api::compute::Network> =
    std::tuple{F("kind", &api::compute::Network::kind, kOutput),
               F("id", &api::compute::Network::id, kOutput),
               F("creationTimestamp", &api::compute::Network::creationTimestamp, kOutput),
               F("name", &api::compute::Network::name, kRequired | kImmutable),
               F("description", &api::compute::Network::description),
               F("autoCreateSubnetworks", &api::compute::Network::autoCreateSubnetworks),
               F("subnetworks", &api::compute::Network::subnetworks, kOutput),
               F("routingConfig", &api::compute::Network::routingConfig),
               F("selfLink", &api::compute::Network::selfLink, kOutput)};
template <>
inline constexpr std::string_view kTypeName<api::compute::ListOf<api::compute::Network>> =
    "NetworkList";
}  // namespace fireweed
