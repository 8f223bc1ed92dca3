// Many instances of one kind by one request.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "api/compute/instance_templates.h"

namespace fireweed::api::compute {

struct BulkInstanceProperties {
  std::string name, hostname;
};

struct BulkInsertBody {
  int64_t count = 0;
  std::optional<int64_t> minCount;  // fewer than these is a failure; absent: all
  std::string namePattern;          // "vm-###": each # is a digit
  std::optional<InstanceProperties> instanceProperties;
  std::map<std::string, BulkInstanceProperties> perInstanceProperties;  // by name
  std::string sourceInstanceTemplate;
  Json locationPolicy;
};

struct BulkInsert {
  std::string project, zone, requestId;
  BulkInsertBody body;
};
struct BulkInsertRegional {
  std::string project, region, requestId;
  BulkInsertBody body;
};

inline constexpr Method<BulkInsert, Operation> kBulkInsert{
    kCompute,
    Verb::kPost,
    "/compute/v1/projects/{project}/zones/{zone}/instances/bulkInsert",
    "compute.instances.bulkInsert",
    "compute.instances.create",
    kProjectResource};
inline constexpr Method<BulkInsertRegional, Operation> kBulkInsertRegional{
    kCompute,
    Verb::kPost,
    "/compute/v1/projects/{project}/regions/{region}/instances/bulkInsert",
    "compute.regionInstances.bulkInsert",
    "compute.instances.create",
    kProjectResource};

}  // namespace fireweed::api::compute

namespace fireweed {
template <>
inline constexpr std::string_view kTypeName<api::compute::BulkInstanceProperties> =
    "BulkInsertInstanceResourcePerInstanceProperties";
template <>
inline constexpr auto kFields<api::compute::BulkInstanceProperties> = [](auto...) {
  return Fields{F("name", &api::compute::BulkInstanceProperties::name),
                F("hostname", &api::compute::BulkInstanceProperties::hostname)};
};
template <>
inline constexpr std::string_view kTypeName<api::compute::BulkInsertBody> =
    "BulkInsertInstanceResource";
template <>
inline constexpr auto kFields<api::compute::BulkInsertBody> = [](auto...) {
  using Body = api::compute::BulkInsertBody;
  return Fields{F("count", &Body::count),
                F("minCount", &Body::minCount),
                F("namePattern", &Body::namePattern),
                F("instanceProperties", &Body::instanceProperties),
                F("perInstanceProperties", &Body::perInstanceProperties),
                F("sourceInstanceTemplate", &Body::sourceInstanceTemplate),
                F("locationPolicy", &Body::locationPolicy)};
};
template <>
inline constexpr auto kFields<api::compute::BulkInsert> = [](auto...) {
  using Request = api::compute::BulkInsert;
  return Fields{F("project", &Request::project, kPath), F("zone", &Request::zone, kPath),
                F("requestId", &Request::requestId, kQuery), F("body", &Request::body, kBody)};
};
template <>
inline constexpr auto kFields<api::compute::BulkInsertRegional> = [](auto...) {
  using Request = api::compute::BulkInsertRegional;
  return Fields{F("project", &Request::project, kPath), F("region", &Request::region, kPath),
                F("requestId", &Request::requestId, kQuery), F("body", &Request::body, kBody)};
};
}  // namespace fireweed
