// Instance templates: everything of an instance but its name and its zone, and the routes.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/compute/instance.h"
#include "api/compute/operation.h"
#include "api/compute/requests.h"

namespace fireweed::api::compute {

// Names in it are bare ("n1-standard-1"): what they mean is settled in the zone of each instance.
struct InstanceProperties {
  std::string description;
  Tags tags;
  std::string machineType;
  bool canIpForward = false;
  std::vector<NetworkInterface> networkInterfaces;
  std::vector<AttachedDisk> disks;
  Metadata metadata;
  std::vector<InstanceServiceAccount> serviceAccounts;
  Scheduling scheduling;
  std::map<std::string, std::string> labels;
  std::vector<AcceleratorConfig> guestAccelerators;
  std::string minCpuPlatform;
  std::vector<std::string> resourcePolicies;
  std::string privateIpv6GoogleAccess, keyRevocationActionType;
  // Kept as sent: nothing here acts on them.
  Json shieldedInstanceConfig, shieldedVmConfig, confidentialInstanceConfig, reservationAffinity,
      advancedMachineFeatures, networkPerformanceConfig;
  // Fireweed's own, for the groups made of it: never, on-poweroff or on-success.
  std::string completion;
};

struct InstanceTemplate {
  std::string kind = "compute#instanceTemplate";
  int64_t id = 0;
  std::string creationTimestamp, name, description, sourceInstance, selfLink;
  std::optional<InstanceProperties> properties;
  Json sourceInstanceParams;
};

struct InstanceTemplatesScopedList {
  std::vector<InstanceTemplate> instanceTemplates;
  std::optional<Warning> warning;
};

struct InsertInstanceTemplate {
  std::string project, requestId;
  InstanceTemplate body;
};
struct ChangeTemplate {
  std::string project, name, requestId;
};

inline constexpr Method<InsertInstanceTemplate, Operation> kInsertInstanceTemplate{
    kCompute,
    Verb::kPost,
    "/compute/v1/projects/{project}/global/instanceTemplates",
    "compute.instanceTemplates.insert",
    "compute.instanceTemplates.create",
    kProjectResource};
inline constexpr Method<GetGlobal, InstanceTemplate> kGetInstanceTemplate{
    kCompute,
    Verb::kGet,
    "/compute/v1/projects/{project}/global/instanceTemplates/{name}",
    "compute.instanceTemplates.get",
    "compute.instanceTemplates.get",
    kProjectResource};
inline constexpr Method<ListProject, ListOf<InstanceTemplate>> kListInstanceTemplates{
    kCompute,
    Verb::kGet,
    "/compute/v1/projects/{project}/global/instanceTemplates",
    "compute.instanceTemplates.list",
    "compute.instanceTemplates.list",
    kProjectResource};
inline constexpr Method<ListProject, AggregatedListOf<InstanceTemplatesScopedList>>
    kAggregateInstanceTemplates{kCompute,
                                Verb::kGet,
                                "/compute/v1/projects/{project}/aggregated/instanceTemplates",
                                "compute.instanceTemplates.aggregatedList",
                                "compute.instanceTemplates.list",
                                kProjectResource};
inline constexpr Method<ChangeTemplate, Operation> kDeleteInstanceTemplate{
    kCompute,
    Verb::kDelete,
    "/compute/v1/projects/{project}/global/instanceTemplates/{name}",
    "compute.instanceTemplates.delete",
    "compute.instanceTemplates.delete",
    kProjectResource};

}  // namespace fireweed::api::compute

namespace fireweed {
template <>
inline constexpr std::string_view kTypeName<api::compute::InstanceProperties> =
    "InstanceProperties";
template <>
inline constexpr auto kFields<api::compute::InstanceProperties> = [](auto...) {
  return Fields{
      F("description", &api::compute::InstanceProperties::description),
      F("tags", &api::compute::InstanceProperties::tags),
      F("machineType", &api::compute::InstanceProperties::machineType),
      F("canIpForward", &api::compute::InstanceProperties::canIpForward),
      F("networkInterfaces", &api::compute::InstanceProperties::networkInterfaces),
      F("disks", &api::compute::InstanceProperties::disks),
      F("metadata", &api::compute::InstanceProperties::metadata),
      F("serviceAccounts", &api::compute::InstanceProperties::serviceAccounts),
      F("scheduling", &api::compute::InstanceProperties::scheduling),
      F("labels", &api::compute::InstanceProperties::labels),
      F("guestAccelerators", &api::compute::InstanceProperties::guestAccelerators),
      F("minCpuPlatform", &api::compute::InstanceProperties::minCpuPlatform),
      F("resourcePolicies", &api::compute::InstanceProperties::resourcePolicies),
      F("privateIpv6GoogleAccess", &api::compute::InstanceProperties::privateIpv6GoogleAccess),
      F("keyRevocationActionType", &api::compute::InstanceProperties::keyRevocationActionType),
      F("shieldedInstanceConfig", &api::compute::InstanceProperties::shieldedInstanceConfig),
      F("shieldedVmConfig", &api::compute::InstanceProperties::shieldedVmConfig),
      F("confidentialInstanceConfig",
        &api::compute::InstanceProperties::confidentialInstanceConfig),
      F("reservationAffinity", &api::compute::InstanceProperties::reservationAffinity),
      F("advancedMachineFeatures", &api::compute::InstanceProperties::advancedMachineFeatures),
      F("networkPerformanceConfig", &api::compute::InstanceProperties::networkPerformanceConfig),
      F("completion", &api::compute::InstanceProperties::completion)};
};
template <>
inline constexpr std::string_view kTypeName<api::compute::InstanceTemplate> = "InstanceTemplate";
template <>
inline constexpr auto kFields<api::compute::InstanceTemplate> = [](auto...) {
  return Fields{F("kind", &api::compute::InstanceTemplate::kind, kOutput),
                F("id", &api::compute::InstanceTemplate::id, kOutput),
                F("creationTimestamp", &api::compute::InstanceTemplate::creationTimestamp, kOutput),
                F("name", &api::compute::InstanceTemplate::name, kRequired | kImmutable),
                F("description", &api::compute::InstanceTemplate::description),
                F("properties", &api::compute::InstanceTemplate::properties),
                F("sourceInstance", &api::compute::InstanceTemplate::sourceInstance),
                F("sourceInstanceParams", &api::compute::InstanceTemplate::sourceInstanceParams),
                F("selfLink", &api::compute::InstanceTemplate::selfLink, kOutput)};
};
template <>
inline constexpr std::string_view kTypeName<api::compute::ListOf<api::compute::InstanceTemplate>> =
    "InstanceTemplateList";
template <>
inline constexpr std::string_view kTypeName<api::compute::InstanceTemplatesScopedList> =
    "InstanceTemplatesScopedList";
template <>
inline constexpr auto kFields<api::compute::InstanceTemplatesScopedList> = [](auto...) {
  return Fields{
      F("instanceTemplates", &api::compute::InstanceTemplatesScopedList::instanceTemplates),
      F("warning", &api::compute::InstanceTemplatesScopedList::warning)};
};
template <>
inline constexpr std::string_view
    kTypeName<api::compute::AggregatedListOf<api::compute::InstanceTemplatesScopedList>> =
        "InstanceTemplateAggregatedList";
template <>
inline constexpr auto kFields<api::compute::InsertInstanceTemplate> = [](auto...) {
  return Fields{F("project", &api::compute::InsertInstanceTemplate::project, kPath),
                F("requestId", &api::compute::InsertInstanceTemplate::requestId, kQuery),
                F("body", &api::compute::InsertInstanceTemplate::body, kBody)};
};
template <>
inline constexpr auto kFields<api::compute::ChangeTemplate> = [](auto...) {
  return Fields{F("project", &api::compute::ChangeTemplate::project, kPath),
                F("name", &api::compute::ChangeTemplate::name, kPath),
                F("requestId", &api::compute::ChangeTemplate::requestId, kQuery)};
};
}  // namespace fireweed
