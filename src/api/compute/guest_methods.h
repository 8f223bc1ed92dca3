// Guest attributes: what an instance has said about itself, read from outside.
#pragma once

#include <string>
#include <vector>

#include "api/compute/requests.h"

namespace fireweed::api::compute {

struct GuestAttributesEntry {
  std::string namespace_, key, value;
};
struct GuestAttributesValue {
  std::vector<GuestAttributesEntry> items;
};
struct GuestAttributes {
  std::string kind = "compute#guestAttributes";
  std::string queryPath;
  GuestAttributesValue queryValue;
  std::string selfLink, variableKey, variableValue;
};
struct GetGuestAttributes {
  std::string project, zone, name, queryPath, variableKey;
};

inline constexpr Method<GetGuestAttributes, GuestAttributes> kGetGuestAttributes{
    kCompute,
    Verb::kGet,
    "/compute/v1/projects/{project}/zones/{zone}/instances/{name}/getGuestAttributes",
    "compute.instances.getGuestAttributes",
    "compute.instances.getGuestAttributes",
    kProjectResource};

}  // namespace fireweed::api::compute

namespace fireweed {
template <>
inline constexpr std::string_view kTypeName<api::compute::GuestAttributesEntry> =
    "GuestAttributesEntry";
template <>
inline constexpr auto kFields<api::compute::GuestAttributesEntry> = [](auto...) {
  return Fields{F("namespace", &api::compute::GuestAttributesEntry::namespace_),
                F("key", &api::compute::GuestAttributesEntry::key),
                F("value", &api::compute::GuestAttributesEntry::value, kKeepEmpty)};
};
template <>
inline constexpr std::string_view kTypeName<api::compute::GuestAttributesValue> =
    "GuestAttributesValue";
template <>
inline constexpr auto kFields<api::compute::GuestAttributesValue> =
    [](auto...) { return Fields{F("items", &api::compute::GuestAttributesValue::items)}; };
template <>
inline constexpr std::string_view kTypeName<api::compute::GuestAttributes> = "GuestAttributes";
template <>
inline constexpr auto kFields<api::compute::GuestAttributes> = [](auto...) {
  return Fields{F("kind", &api::compute::GuestAttributes::kind),
                F("queryPath", &api::compute::GuestAttributes::queryPath),
                F("queryValue", &api::compute::GuestAttributes::queryValue),
                F("selfLink", &api::compute::GuestAttributes::selfLink),
                F("variableKey", &api::compute::GuestAttributes::variableKey),
                F("variableValue", &api::compute::GuestAttributes::variableValue)};
};
template <>
inline constexpr auto kFields<api::compute::GetGuestAttributes> = [](auto...) {
  return Fields{F("project", &api::compute::GetGuestAttributes::project, kPath),
                F("zone", &api::compute::GetGuestAttributes::zone, kPath),
                F("name", &api::compute::GetGuestAttributes::name, kPath),
                F("queryPath", &api::compute::GetGuestAttributes::queryPath, kQuery),
                F("variableKey", &api::compute::GetGuestAttributes::variableKey, kQuery)};
};
}  // namespace fireweed
