// Compute Engine: the service, and the small pieces its resources and lists share.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "api/method.h"
#include "describe/type.h"

namespace fireweed::api::compute {

inline constexpr std::string_view kComputeHosts[] = {"compute.googleapis.com",
                                                     "www.googleapis.com"};
inline constexpr Service kCompute{.name = "compute",
                                  .version = "v1",
                                  .title = "Compute Engine API",
                                  .hosts = kComputeHosts,
                                  .path_names = PathNames::kByKind};

struct WarningDatum {
  std::string key, value;
};
struct Warning {
  std::string code, message;
  std::vector<WarningDatum> data;
};

// A page of a scope: {"kind","id","items","nextPageToken","selfLink"}.
template <class T>
struct ListOf {
  std::string kind, id;
  std::vector<T> items;
  std::string nextPageToken, selfLink;
};

// A page over all scopes of a project, by scope: "zones/us-central1-a".
template <class Scoped>
struct AggregatedListOf {
  std::string kind, id;
  std::map<std::string, Scoped> items;
  std::string nextPageToken, selfLink;
};

}  // namespace fireweed::api::compute

namespace fireweed {
template <>
inline constexpr std::string_view kTypeName<api::compute::WarningDatum> = "WarningDatum";
template <>
inline constexpr auto kFields<api::compute::WarningDatum> = [](auto...) {
  return Fields{F("key", &api::compute::WarningDatum::key),
                F("value", &api::compute::WarningDatum::value, kKeepEmpty)};
};
template <>
inline constexpr std::string_view kTypeName<api::compute::Warning> = "Warning";
template <>
inline constexpr auto kFields<api::compute::Warning> = [](auto...) {
  return Fields{F("code", &api::compute::Warning::code),
                F("message", &api::compute::Warning::message),
                F("data", &api::compute::Warning::data)};
};
template <class T>
inline constexpr auto kFields<api::compute::ListOf<T>> = [](auto...) {
  return Fields{F("kind", &api::compute::ListOf<T>::kind), F("id", &api::compute::ListOf<T>::id),
                F("items", &api::compute::ListOf<T>::items),
                F("nextPageToken", &api::compute::ListOf<T>::nextPageToken),
                F("selfLink", &api::compute::ListOf<T>::selfLink)};
};
template <class T>
inline constexpr auto kFields<api::compute::AggregatedListOf<T>> = [](auto...) {
  return Fields{F("kind", &api::compute::AggregatedListOf<T>::kind),
                F("id", &api::compute::AggregatedListOf<T>::id),
                F("items", &api::compute::AggregatedListOf<T>::items, kKeepEmpty),
                F("nextPageToken", &api::compute::AggregatedListOf<T>::nextPageToken),
                F("selfLink", &api::compute::AggregatedListOf<T>::selfLink)};
};
}  // namespace fireweed
