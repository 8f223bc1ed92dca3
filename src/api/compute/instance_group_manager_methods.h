// The routes of managed instance groups and what each takes.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "api/compute/instance_group_managers.h"
#include "api/compute/operation.h"
#include "api/compute/requests.h"

namespace fireweed::api::compute {

struct GroupInstances {
  std::vector<std::string> instances;
};
struct GroupTemplate {
  std::string instanceTemplate;
};
struct GroupTargetPools {
  std::vector<std::string> targetPools;
  Bytes fingerprint;
};
struct PerInstanceConfig {
  std::string name;
  Json preservedState;
};
struct GroupNewInstances {
  std::vector<PerInstanceConfig> instances;
};

struct InsertManagedGroup {
  std::string project, zone, requestId;
  ManagedGroup body;
};
struct InsertRegionalManagedGroup {
  std::string project, region, requestId;
  ManagedGroup body;
};
struct PatchManagedGroup {
  std::string project, zone, name, requestId;
  Json body;
};
struct ChangeManagedGroup {
  std::string project, zone, name, requestId;
};
struct ResizeManagedGroup {
  std::string project, zone, name, requestId;
  int32_t size = 0;
};
struct ListManaged {
  std::string project, zone, name, filter, pageToken, orderBy;
  int32_t maxResults = 500;
};
struct ChangeGroupInstances {
  std::string project, zone, name, requestId;
  GroupInstances body;
};
struct CreateGroupInstances {
  std::string project, zone, name, requestId;
  GroupNewInstances body;
};
struct SetGroupTemplate {
  std::string project, zone, name, requestId;
  GroupTemplate body;
};
struct SetGroupTargetPools {
  std::string project, zone, name, requestId;
  GroupTargetPools body;
};

inline constexpr Method<InsertManagedGroup, Operation> kInsertManagedGroup{
    kCompute,
    Verb::kPost,
    "/compute/v1/projects/{project}/zones/{zone}/instanceGroupManagers",
    "compute.instanceGroupManagers.insert",
    "compute.instanceGroupManagers.create",
    kProjectResource};
inline constexpr Method<InsertRegionalManagedGroup, Operation> kInsertRegionalManagedGroup{
    kCompute,
    Verb::kPost,
    "/compute/v1/projects/{project}/regions/{region}/instanceGroupManagers",
    "compute.regionInstanceGroupManagers.insert",
    "compute.instanceGroupManagers.create",
    kProjectResource};
inline constexpr Method<GetZonal, ManagedGroup> kGetManagedGroup{
    kCompute,
    Verb::kGet,
    "/compute/v1/projects/{project}/zones/{zone}/instanceGroupManagers/{name}",
    "compute.instanceGroupManagers.get",
    "compute.instanceGroupManagers.get",
    kProjectResource};
inline constexpr Method<ListZonal, ListOf<ManagedGroup>> kListManagedGroups{
    kCompute,
    Verb::kGet,
    "/compute/v1/projects/{project}/zones/{zone}/instanceGroupManagers",
    "compute.instanceGroupManagers.list",
    "compute.instanceGroupManagers.list",
    kProjectResource};
inline constexpr Method<ListProject, AggregatedListOf<InstanceGroupManagersScopedList>>
    kAggregateManagedGroups{kCompute,
                            Verb::kGet,
                            "/compute/v1/projects/{project}/aggregated/instanceGroupManagers",
                            "compute.instanceGroupManagers.aggregatedList",
                            "compute.instanceGroupManagers.list",
                            kProjectResource};
inline constexpr Method<PatchManagedGroup, Operation> kPatchManagedGroup{
    kCompute,
    Verb::kPatch,
    "/compute/v1/projects/{project}/zones/{zone}/instanceGroupManagers/{name}",
    "compute.instanceGroupManagers.patch",
    "compute.instanceGroupManagers.update",
    kProjectResource};
inline constexpr Method<ChangeManagedGroup, Operation> kDeleteManagedGroup{
    kCompute,
    Verb::kDelete,
    "/compute/v1/projects/{project}/zones/{zone}/instanceGroupManagers/{name}",
    "compute.instanceGroupManagers.delete",
    "compute.instanceGroupManagers.delete",
    kProjectResource};
inline constexpr Method<ResizeManagedGroup, Operation> kResizeManagedGroup{
    kCompute,
    Verb::kPost,
    "/compute/v1/projects/{project}/zones/{zone}/instanceGroupManagers/{name}/resize",
    "compute.instanceGroupManagers.resize",
    "compute.instanceGroupManagers.update",
    kProjectResource};
inline constexpr Method<ListManaged, ManagedInstances> kListManagedInstances{
    kCompute,
    Verb::kPost,
    "/compute/v1/projects/{project}/zones/{zone}/instanceGroupManagers/{name}/listManagedInstances",
    "compute.instanceGroupManagers.listManagedInstances",
    "compute.instanceGroupManagers.get",
    kProjectResource};
inline constexpr Method<ListManaged, GroupErrorList> kListGroupErrors{
    kCompute,
    Verb::kGet,
    "/compute/v1/projects/{project}/zones/{zone}/instanceGroupManagers/{name}/listErrors",
    "compute.instanceGroupManagers.listErrors",
    "compute.instanceGroupManagers.get",
    kProjectResource};
inline constexpr Method<ChangeGroupInstances, Operation> kRecreateGroupInstances{
    kCompute,
    Verb::kPost,
    "/compute/v1/projects/{project}/zones/{zone}/instanceGroupManagers/{name}/recreateInstances",
    "compute.instanceGroupManagers.recreateInstances",
    "compute.instanceGroupManagers.update",
    kProjectResource};
inline constexpr Method<ChangeGroupInstances, Operation> kDeleteGroupInstances{
    kCompute,
    Verb::kPost,
    "/compute/v1/projects/{project}/zones/{zone}/instanceGroupManagers/{name}/deleteInstances",
    "compute.instanceGroupManagers.deleteInstances",
    "compute.instanceGroupManagers.update",
    kProjectResource};
inline constexpr Method<ChangeGroupInstances, Operation> kAbandonGroupInstances{
    kCompute,
    Verb::kPost,
    "/compute/v1/projects/{project}/zones/{zone}/instanceGroupManagers/{name}/abandonInstances",
    "compute.instanceGroupManagers.abandonInstances",
    "compute.instanceGroupManagers.update",
    kProjectResource};
inline constexpr Method<CreateGroupInstances, Operation> kCreateGroupInstances{
    kCompute,
    Verb::kPost,
    "/compute/v1/projects/{project}/zones/{zone}/instanceGroupManagers/{name}/createInstances",
    "compute.instanceGroupManagers.createInstances",
    "compute.instanceGroupManagers.update",
    kProjectResource};
inline constexpr Method<SetGroupTemplate, Operation> kSetGroupTemplate{
    kCompute,
    Verb::kPost,
    "/compute/v1/projects/{project}/zones/{zone}/instanceGroupManagers/{name}/setInstanceTemplate",
    "compute.instanceGroupManagers.setInstanceTemplate",
    "compute.instanceGroupManagers.update",
    kProjectResource};
inline constexpr Method<SetGroupTargetPools, Operation> kSetGroupTargetPools{
    kCompute,
    Verb::kPost,
    "/compute/v1/projects/{project}/zones/{zone}/instanceGroupManagers/{name}/setTargetPools",
    "compute.instanceGroupManagers.setTargetPools",
    "compute.instanceGroupManagers.update",
    kProjectResource};

}  // namespace fireweed::api::compute

namespace fireweed {
template <>
inline constexpr std::string_view kTypeName<api::compute::GroupInstances> =
    "InstanceGroupManagersInstancesRequest";
template <>
inline constexpr auto kFields<api::compute::GroupInstances> =
    [](auto...) { return Fields{F("instances", &api::compute::GroupInstances::instances)}; };
template <>
inline constexpr std::string_view kTypeName<api::compute::GroupTemplate> =
    "InstanceGroupManagersSetInstanceTemplateRequest";
template <>
inline constexpr auto kFields<api::compute::GroupTemplate> = [](auto...) {
  return Fields{F("instanceTemplate", &api::compute::GroupTemplate::instanceTemplate)};
};
template <>
inline constexpr std::string_view kTypeName<api::compute::GroupTargetPools> =
    "InstanceGroupManagersSetTargetPoolsRequest";
template <>
inline constexpr auto kFields<api::compute::GroupTargetPools> = [](auto...) {
  return Fields{F("targetPools", &api::compute::GroupTargetPools::targetPools),
                F("fingerprint", &api::compute::GroupTargetPools::fingerprint)};
};
template <>
inline constexpr std::string_view kTypeName<api::compute::PerInstanceConfig> = "PerInstanceConfig";
template <>
inline constexpr auto kFields<api::compute::PerInstanceConfig> = [](auto...) {
  return Fields{F("name", &api::compute::PerInstanceConfig::name),
                F("preservedState", &api::compute::PerInstanceConfig::preservedState)};
};
template <>
inline constexpr std::string_view kTypeName<api::compute::GroupNewInstances> =
    "InstanceGroupManagersCreateInstancesRequest";
template <>
inline constexpr auto kFields<api::compute::GroupNewInstances> =
    [](auto...) { return Fields{F("instances", &api::compute::GroupNewInstances::instances)}; };
template <>
inline constexpr auto kFields<api::compute::InsertManagedGroup> = [](auto...) {
  return Fields{F("project", &api::compute::InsertManagedGroup::project, kPath),
                F("zone", &api::compute::InsertManagedGroup::zone, kPath),
                F("requestId", &api::compute::InsertManagedGroup::requestId, kQuery),
                F("body", &api::compute::InsertManagedGroup::body, kBody)};
};
template <>
inline constexpr auto kFields<api::compute::InsertRegionalManagedGroup> = [](auto...) {
  return Fields{F("project", &api::compute::InsertRegionalManagedGroup::project, kPath),
                F("region", &api::compute::InsertRegionalManagedGroup::region, kPath),
                F("requestId", &api::compute::InsertRegionalManagedGroup::requestId, kQuery),
                F("body", &api::compute::InsertRegionalManagedGroup::body, kBody)};
};
template <>
inline constexpr auto kFields<api::compute::PatchManagedGroup> = [](auto...) {
  return Fields{F("project", &api::compute::PatchManagedGroup::project, kPath),
                F("zone", &api::compute::PatchManagedGroup::zone, kPath),
                F("name", &api::compute::PatchManagedGroup::name, kPath),
                F("requestId", &api::compute::PatchManagedGroup::requestId, kQuery),
                F("body", &api::compute::PatchManagedGroup::body, kBody)};
};
template <>
inline constexpr auto kFields<api::compute::ChangeManagedGroup> = [](auto...) {
  return Fields{F("project", &api::compute::ChangeManagedGroup::project, kPath),
                F("zone", &api::compute::ChangeManagedGroup::zone, kPath),
                F("name", &api::compute::ChangeManagedGroup::name, kPath),
                F("requestId", &api::compute::ChangeManagedGroup::requestId, kQuery)};
};
template <>
inline constexpr auto kFields<api::compute::ResizeManagedGroup> = [](auto...) {
  return Fields{F("project", &api::compute::ResizeManagedGroup::project, kPath),
                F("zone", &api::compute::ResizeManagedGroup::zone, kPath),
                F("name", &api::compute::ResizeManagedGroup::name, kPath),
                F("requestId", &api::compute::ResizeManagedGroup::requestId, kQuery),
                F("size", &api::compute::ResizeManagedGroup::size, kQuery | kRequired)};
};
template <>
inline constexpr auto kFields<api::compute::ListManaged> = [](auto...) {
  return Fields{F("project", &api::compute::ListManaged::project, kPath),
                F("zone", &api::compute::ListManaged::zone, kPath),
                F("name", &api::compute::ListManaged::name, kPath),
                F("filter", &api::compute::ListManaged::filter, kQuery),
                F("pageToken", &api::compute::ListManaged::pageToken, kQuery),
                F("orderBy", &api::compute::ListManaged::orderBy, kQuery),
                F("maxResults", &api::compute::ListManaged::maxResults, kQuery)};
};
template <>
inline constexpr auto kFields<api::compute::ChangeGroupInstances> = [](auto...) {
  return Fields{F("project", &api::compute::ChangeGroupInstances::project, kPath),
                F("zone", &api::compute::ChangeGroupInstances::zone, kPath),
                F("name", &api::compute::ChangeGroupInstances::name, kPath),
                F("requestId", &api::compute::ChangeGroupInstances::requestId, kQuery),
                F("body", &api::compute::ChangeGroupInstances::body, kBody)};
};
template <>
inline constexpr auto kFields<api::compute::CreateGroupInstances> = [](auto...) {
  return Fields{F("project", &api::compute::CreateGroupInstances::project, kPath),
                F("zone", &api::compute::CreateGroupInstances::zone, kPath),
                F("name", &api::compute::CreateGroupInstances::name, kPath),
                F("requestId", &api::compute::CreateGroupInstances::requestId, kQuery),
                F("body", &api::compute::CreateGroupInstances::body, kBody)};
};
template <>
inline constexpr auto kFields<api::compute::SetGroupTemplate> = [](auto...) {
  return Fields{F("project", &api::compute::SetGroupTemplate::project, kPath),
                F("zone", &api::compute::SetGroupTemplate::zone, kPath),
                F("name", &api::compute::SetGroupTemplate::name, kPath),
                F("requestId", &api::compute::SetGroupTemplate::requestId, kQuery),
                F("body", &api::compute::SetGroupTemplate::body, kBody)};
};
template <>
inline constexpr auto kFields<api::compute::SetGroupTargetPools> = [](auto...) {
  return Fields{F("project", &api::compute::SetGroupTargetPools::project, kPath),
                F("zone", &api::compute::SetGroupTargetPools::zone, kPath),
                F("name", &api::compute::SetGroupTargetPools::name, kPath),
                F("requestId", &api::compute::SetGroupTargetPools::requestId, kQuery),
                F("body", &api::compute::SetGroupTargetPools::body, kBody)};
};
}  // namespace fireweed
