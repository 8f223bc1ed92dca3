// Firewall rules, routes and addresses as the API shows them. They are kept and shown; nothing is filtered by them.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/compute/service.h"

namespace fireweed::api::compute {

struct FirewallPorts {
  std::string IPProtocol;
  std::vector<std::string> ports;
};
struct Firewall {
  std::string kind = "compute#firewall";
  int64_t id = 0;
  std::string creationTimestamp, name, description, network, direction;
  int32_t priority = 1000;
  std::vector<std::string> sourceRanges, destinationRanges, sourceTags, targetTags,
      sourceServiceAccounts, targetServiceAccounts;
  std::vector<FirewallPorts> allowed, denied;
  bool disabled = false;
  Json logConfig;
  std::string selfLink;
};

struct Route {
  std::string kind = "compute#route";
  int64_t id = 0;
  std::string creationTimestamp, name, description, network, destRange, nextHopGateway,
      nextHopInstance, nextHopIp, nextHopNetwork;
  int32_t priority = 1000;
  std::vector<std::string> tags;
  std::string selfLink;
};

struct Address {
  std::string kind = "compute#address";
  int64_t id = 0;
  std::string creationTimestamp, name, description, address, status, region, networkTier,
      addressType, purpose, subnetwork, network, ipVersion;
  std::vector<std::string> users;
  std::map<std::string, std::string> labels;
  Bytes labelFingerprint;
  std::string selfLink;
};
struct AddressesScopedList {
  std::vector<Address> addresses;
  std::optional<Warning> warning;
};

}  // namespace fireweed::api::compute

namespace fireweed {
template <>
inline constexpr std::string_view kTypeName<api::compute::FirewallPorts> = "FirewallAllowed";
template <>
inline constexpr auto kFields<api::compute::FirewallPorts> = [](auto...) {
  return Fields{F("IPProtocol", &api::compute::FirewallPorts::IPProtocol),
                F("ports", &api::compute::FirewallPorts::ports)};
};
template <>
inline constexpr std::string_view kTypeName<api::compute::Firewall> = "Firewall";
template <>
inline constexpr auto kFields<api::compute::Firewall> = [](auto...) {
  return Fields{F("kind", &api::compute::Firewall::kind, kOutput),
                F("id", &api::compute::Firewall::id, kOutput),
                F("creationTimestamp", &api::compute::Firewall::creationTimestamp, kOutput),
                F("name", &api::compute::Firewall::name, kRequired | kImmutable),
                F("description", &api::compute::Firewall::description),
                F("network", &api::compute::Firewall::network, kImmutable),
                F("direction", &api::compute::Firewall::direction, kImmutable),
                F("priority", &api::compute::Firewall::priority),
                F("sourceRanges", &api::compute::Firewall::sourceRanges),
                F("destinationRanges", &api::compute::Firewall::destinationRanges),
                F("sourceTags", &api::compute::Firewall::sourceTags),
                F("targetTags", &api::compute::Firewall::targetTags),
                F("sourceServiceAccounts", &api::compute::Firewall::sourceServiceAccounts),
                F("targetServiceAccounts", &api::compute::Firewall::targetServiceAccounts),
                F("allowed", &api::compute::Firewall::allowed),
                F("denied", &api::compute::Firewall::denied),
                F("disabled", &api::compute::Firewall::disabled),
                F("logConfig", &api::compute::Firewall::logConfig),
                F("selfLink", &api::compute::Firewall::selfLink, kOutput)};
};
template <>
inline constexpr std::string_view kTypeName<api::compute::ListOf<api::compute::Firewall>> =
    "FirewallList";
template <>
inline constexpr std::string_view kTypeName<api::compute::Route> = "Route";
template <>
inline constexpr auto kFields<api::compute::Route> = [](auto...) {
  return Fields{F("kind", &api::compute::Route::kind, kOutput),
                F("id", &api::compute::Route::id, kOutput),
                F("creationTimestamp", &api::compute::Route::creationTimestamp, kOutput),
                F("name", &api::compute::Route::name, kRequired | kImmutable),
                F("description", &api::compute::Route::description),
                F("network", &api::compute::Route::network, kImmutable),
                F("destRange", &api::compute::Route::destRange, kImmutable),
                F("nextHopGateway", &api::compute::Route::nextHopGateway, kImmutable),
                F("nextHopInstance", &api::compute::Route::nextHopInstance, kImmutable),
                F("nextHopIp", &api::compute::Route::nextHopIp, kImmutable),
                F("nextHopNetwork", &api::compute::Route::nextHopNetwork, kImmutable),
                F("priority", &api::compute::Route::priority, kImmutable),
                F("tags", &api::compute::Route::tags, kImmutable),
                F("selfLink", &api::compute::Route::selfLink, kOutput)};
};
template <>
inline constexpr std::string_view kTypeName<api::compute::ListOf<api::compute::Route>> =
    "RouteList";
template <>
inline constexpr std::string_view kTypeName<api::compute::Address> = "Address";
template <>
inline constexpr auto kFields<api::compute::Address> = [](auto...) {
  return Fields{F("kind", &api::compute::Address::kind, kOutput),
                F("id", &api::compute::Address::id, kOutput),
                F("creationTimestamp", &api::compute::Address::creationTimestamp, kOutput),
                F("name", &api::compute::Address::name, kRequired | kImmutable),
                F("description", &api::compute::Address::description),
                F("address", &api::compute::Address::address, kImmutable),
                F("status", &api::compute::Address::status, kOutput),
                F("region", &api::compute::Address::region, kOutput),
                F("networkTier", &api::compute::Address::networkTier),
                F("addressType", &api::compute::Address::addressType),
                F("purpose", &api::compute::Address::purpose),
                F("subnetwork", &api::compute::Address::subnetwork),
                F("network", &api::compute::Address::network),
                F("ipVersion", &api::compute::Address::ipVersion),
                F("users", &api::compute::Address::users, kOutput),
                F("labels", &api::compute::Address::labels),
                F("labelFingerprint", &api::compute::Address::labelFingerprint),
                F("selfLink", &api::compute::Address::selfLink, kOutput)};
};
template <>
inline constexpr std::string_view kTypeName<api::compute::ListOf<api::compute::Address>> =
    "AddressList";
template <>
inline constexpr std::string_view kTypeName<api::compute::AddressesScopedList> =
    "AddressesScopedList";
template <>
inline constexpr auto kFields<api::compute::AddressesScopedList> = [](auto...) {
  return Fields{F("addresses", &api::compute::AddressesScopedList::addresses),
                F("warning", &api::compute::AddressesScopedList::warning)};
};
template <>
inline constexpr std::string_view
    kTypeName<api::compute::AggregatedListOf<api::compute::AddressesScopedList>> =
        "AddressAggregatedList";
}  // namespace fireweed
