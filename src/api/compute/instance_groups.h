// Instance groups: a name for some instances, whoever made them. A managed group is shown here, too. And the lists of
// autoscalers, which clients ask for beside groups: there are none.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/compute/instance_group_managers.h"
#include "api/compute/operation.h"
#include "api/compute/requests.h"

namespace fireweed::api::compute {

struct InstanceGroup {
  std::string kind = "compute#instanceGroup";
  int64_t id = 0;
  std::string creationTimestamp, name, description, zone, network, subnetwork;
  std::vector<NamedPort> namedPorts;
  int32_t size = 0;
  Bytes fingerprint;
  std::string selfLink;
};
struct InstanceGroupsScopedList {
  std::vector<InstanceGroup> instanceGroups;
  std::optional<Warning> warning;
};
struct GroupedInstance {
  std::string instance, status;
  std::vector<NamedPort> namedPorts;
};

struct Autoscaler {
  std::string kind = "compute#autoscaler";
  std::string name, target, zone, selfLink;
};
struct AutoscalersScopedList {
  std::vector<Autoscaler> autoscalers;
  std::optional<Warning> warning;
};

struct GroupedReference {
  std::string instance;
};
struct GroupedReferences {
  std::vector<GroupedReference> instances;
};
struct GroupPorts {
  std::vector<NamedPort> namedPorts;
  Bytes fingerprint;
};
struct GroupedState {
  std::string instanceState = "ALL";
};

struct InsertGroup {
  std::string project, zone, requestId;
  InstanceGroup body;
};
struct ChangeGroup {
  std::string project, zone, name, requestId;
};
struct ChangeGroupMembers {
  std::string project, zone, name, requestId;
  GroupedReferences body;
};
struct SetGroupPorts {
  std::string project, zone, name, requestId;
  GroupPorts body;
};
struct ListGroupMembers {
  std::string project, zone, name, filter, pageToken, orderBy;
  int32_t maxResults = 500;
  GroupedState body;
};

inline constexpr Method<InsertGroup, Operation> kInsertGroup{
    kCompute,
    Verb::kPost,
    "/compute/v1/projects/{project}/zones/{zone}/instanceGroups",
    "compute.instanceGroups.insert",
    "compute.instanceGroups.create",
    kProjectResource};
inline constexpr Method<GetZonal, InstanceGroup> kGetGroup{
    kCompute,
    Verb::kGet,
    "/compute/v1/projects/{project}/zones/{zone}/instanceGroups/{name}",
    "compute.instanceGroups.get",
    "compute.instanceGroups.get",
    kProjectResource};
inline constexpr Method<ListZonal, ListOf<InstanceGroup>> kListGroups{
    kCompute,
    Verb::kGet,
    "/compute/v1/projects/{project}/zones/{zone}/instanceGroups",
    "compute.instanceGroups.list",
    "compute.instanceGroups.list",
    kProjectResource};
inline constexpr Method<ListProject, AggregatedListOf<InstanceGroupsScopedList>> kAggregateGroups{
    kCompute,
    Verb::kGet,
    "/compute/v1/projects/{project}/aggregated/instanceGroups",
    "compute.instanceGroups.aggregatedList",
    "compute.instanceGroups.list",
    kProjectResource};
inline constexpr Method<ChangeGroup, Operation> kDeleteGroup{
    kCompute,
    Verb::kDelete,
    "/compute/v1/projects/{project}/zones/{zone}/instanceGroups/{name}",
    "compute.instanceGroups.delete",
    "compute.instanceGroups.delete",
    kProjectResource};
inline constexpr Method<ChangeGroupMembers, Operation> kAddGroupInstances{
    kCompute,
    Verb::kPost,
    "/compute/v1/projects/{project}/zones/{zone}/instanceGroups/{name}/addInstances",
    "compute.instanceGroups.addInstances",
    "compute.instanceGroups.update",
    kProjectResource};
inline constexpr Method<ChangeGroupMembers, Operation> kRemoveGroupInstances{
    kCompute,
    Verb::kPost,
    "/compute/v1/projects/{project}/zones/{zone}/instanceGroups/{name}/removeInstances",
    "compute.instanceGroups.removeInstances",
    "compute.instanceGroups.update",
    kProjectResource};
inline constexpr Method<SetGroupPorts, Operation> kSetGroupPorts{
    kCompute,
    Verb::kPost,
    "/compute/v1/projects/{project}/zones/{zone}/instanceGroups/{name}/setNamedPorts",
    "compute.instanceGroups.setNamedPorts",
    "compute.instanceGroups.update",
    kProjectResource};
inline constexpr Method<ListGroupMembers, ListOf<GroupedInstance>> kListGroupInstances{
    kCompute,
    Verb::kPost,
    "/compute/v1/projects/{project}/zones/{zone}/instanceGroups/{name}/listInstances",
    "compute.instanceGroups.listInstances",
    "compute.instanceGroups.list",
    kProjectResource};
inline constexpr Method<ListZonal, ListOf<Autoscaler>> kListAutoscalers{
    kCompute,
    Verb::kGet,
    "/compute/v1/projects/{project}/zones/{zone}/autoscalers",
    "compute.autoscalers.list",
    "compute.autoscalers.list",
    kProjectResource};
inline constexpr Method<ListProject, AggregatedListOf<AutoscalersScopedList>> kAggregateAutoscalers{
    kCompute,
    Verb::kGet,
    "/compute/v1/projects/{project}/aggregated/autoscalers",
    "compute.autoscalers.aggregatedList",
    "compute.autoscalers.list",
    kProjectResource};

}  // namespace fireweed::api::compute

namespace fireweed {
template <>
inline constexpr std::string_view kTypeName<api::compute::InstanceGroup> = "InstanceGroup";
template <>
inline constexpr auto kFields<api::compute::InstanceGroup> = [](auto...) {
  return Fields{F("kind", &api::compute::InstanceGroup::kind, kOutput),
                F("id", &api::compute::InstanceGroup::id, kOutput),
                F("creationTimestamp", &api::compute::InstanceGroup::creationTimestamp, kOutput),
                F("name", &api::compute::InstanceGroup::name, kRequired | kImmutable),
                F("description", &api::compute::InstanceGroup::description),
                F("zone", &api::compute::InstanceGroup::zone, kOutput),
                F("network", &api::compute::InstanceGroup::network),
                F("subnetwork", &api::compute::InstanceGroup::subnetwork),
                F("namedPorts", &api::compute::InstanceGroup::namedPorts),
                F("size", &api::compute::InstanceGroup::size, kOutput),
                F("fingerprint", &api::compute::InstanceGroup::fingerprint),
                F("selfLink", &api::compute::InstanceGroup::selfLink, kOutput)};
};
template <>
inline constexpr std::string_view kTypeName<api::compute::ListOf<api::compute::InstanceGroup>> =
    "InstanceGroupList";
template <>
inline constexpr std::string_view kTypeName<api::compute::InstanceGroupsScopedList> =
    "InstanceGroupsScopedList";
template <>
inline constexpr auto kFields<api::compute::InstanceGroupsScopedList> = [](auto...) {
  return Fields{F("instanceGroups", &api::compute::InstanceGroupsScopedList::instanceGroups),
                F("warning", &api::compute::InstanceGroupsScopedList::warning)};
};
template <>
inline constexpr std::string_view
    kTypeName<api::compute::AggregatedListOf<api::compute::InstanceGroupsScopedList>> =
        "InstanceGroupAggregatedList";
template <>
inline constexpr std::string_view kTypeName<api::compute::GroupedInstance> =
    "InstanceWithNamedPorts";
template <>
inline constexpr auto kFields<api::compute::GroupedInstance> = [](auto...) {
  return Fields{F("instance", &api::compute::GroupedInstance::instance),
                F("status", &api::compute::GroupedInstance::status),
                F("namedPorts", &api::compute::GroupedInstance::namedPorts)};
};
template <>
inline constexpr std::string_view kTypeName<api::compute::ListOf<api::compute::GroupedInstance>> =
    "InstanceGroupsListInstances";
template <>
inline constexpr std::string_view kTypeName<api::compute::Autoscaler> = "Autoscaler";
template <>
inline constexpr auto kFields<api::compute::Autoscaler> = [](auto...) {
  return Fields{
      F("kind", &api::compute::Autoscaler::kind), F("name", &api::compute::Autoscaler::name),
      F("target", &api::compute::Autoscaler::target), F("zone", &api::compute::Autoscaler::zone),
      F("selfLink", &api::compute::Autoscaler::selfLink)};
};
template <>
inline constexpr std::string_view kTypeName<api::compute::ListOf<api::compute::Autoscaler>> =
    "AutoscalerList";
template <>
inline constexpr std::string_view kTypeName<api::compute::AutoscalersScopedList> =
    "AutoscalersScopedList";
template <>
inline constexpr auto kFields<api::compute::AutoscalersScopedList> = [](auto...) {
  return Fields{F("autoscalers", &api::compute::AutoscalersScopedList::autoscalers),
                F("warning", &api::compute::AutoscalersScopedList::warning)};
};
template <>
inline constexpr std::string_view
    kTypeName<api::compute::AggregatedListOf<api::compute::AutoscalersScopedList>> =
        "AutoscalerAggregatedList";
template <>
inline constexpr std::string_view kTypeName<api::compute::GroupedReference> = "InstanceReference";
template <>
inline constexpr auto kFields<api::compute::GroupedReference> =
    [](auto...) { return Fields{F("instance", &api::compute::GroupedReference::instance)}; };
template <>
inline constexpr std::string_view kTypeName<api::compute::GroupedReferences> =
    "InstanceGroupsInstancesRequest";
template <>
inline constexpr auto kFields<api::compute::GroupedReferences> =
    [](auto...) { return Fields{F("instances", &api::compute::GroupedReferences::instances)}; };
template <>
inline constexpr std::string_view kTypeName<api::compute::GroupPorts> =
    "InstanceGroupsSetNamedPortsRequest";
template <>
inline constexpr auto kFields<api::compute::GroupPorts> = [](auto...) {
  return Fields{F("namedPorts", &api::compute::GroupPorts::namedPorts),
                F("fingerprint", &api::compute::GroupPorts::fingerprint)};
};
template <>
inline constexpr std::string_view kTypeName<api::compute::GroupedState> =
    "InstanceGroupsListInstancesRequest";
template <>
inline constexpr auto kFields<api::compute::GroupedState> =
    [](auto...) { return Fields{F("instanceState", &api::compute::GroupedState::instanceState)}; };
template <>
inline constexpr auto kFields<api::compute::InsertGroup> = [](auto...) {
  return Fields{F("project", &api::compute::InsertGroup::project, kPath),
                F("zone", &api::compute::InsertGroup::zone, kPath),
                F("requestId", &api::compute::InsertGroup::requestId, kQuery),
                F("body", &api::compute::InsertGroup::body, kBody)};
};
template <>
inline constexpr auto kFields<api::compute::ChangeGroup> = [](auto...) {
  return Fields{F("project", &api::compute::ChangeGroup::project, kPath),
                F("zone", &api::compute::ChangeGroup::zone, kPath),
                F("name", &api::compute::ChangeGroup::name, kPath),
                F("requestId", &api::compute::ChangeGroup::requestId, kQuery)};
};
template <>
inline constexpr auto kFields<api::compute::ChangeGroupMembers> = [](auto...) {
  return Fields{F("project", &api::compute::ChangeGroupMembers::project, kPath),
                F("zone", &api::compute::ChangeGroupMembers::zone, kPath),
                F("name", &api::compute::ChangeGroupMembers::name, kPath),
                F("requestId", &api::compute::ChangeGroupMembers::requestId, kQuery),
                F("body", &api::compute::ChangeGroupMembers::body, kBody)};
};
template <>
inline constexpr auto kFields<api::compute::SetGroupPorts> = [](auto...) {
  return Fields{F("project", &api::compute::SetGroupPorts::project, kPath),
                F("zone", &api::compute::SetGroupPorts::zone, kPath),
                F("name", &api::compute::SetGroupPorts::name, kPath),
                F("requestId", &api::compute::SetGroupPorts::requestId, kQuery),
                F("body", &api::compute::SetGroupPorts::body, kBody)};
};
template <>
inline constexpr auto kFields<api::compute::ListGroupMembers> = [](auto...) {
  return Fields{F("project", &api::compute::ListGroupMembers::project, kPath),
                F("zone", &api::compute::ListGroupMembers::zone, kPath),
                F("name", &api::compute::ListGroupMembers::name, kPath),
                F("filter", &api::compute::ListGroupMembers::filter, kQuery),
                F("pageToken", &api::compute::ListGroupMembers::pageToken, kQuery),
                F("orderBy", &api::compute::ListGroupMembers::orderBy, kQuery),
                F("maxResults", &api::compute::ListGroupMembers::maxResults, kQuery),
                F("body", &api::compute::ListGroupMembers::body, kBody)};
};
}  // namespace fireweed
