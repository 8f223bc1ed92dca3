// The routes of instances and what each takes.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "api/compute/instance.h"
#include "api/compute/operation.h"
#include "api/compute/requests.h"
#include "api/compute/resources.h"

namespace fireweed::api::compute {

struct InsertInstance {
  std::string project, zone, requestId, sourceInstanceTemplate;
  Instance body;
};
struct ChangeInstance {  // delete, start, stop, reset
  std::string project, zone, name, requestId;
};
struct SetInstanceMetadata {
  std::string project, zone, name, requestId;
  Metadata body;
};
struct InstanceLabels {
  std::map<std::string, std::string> labels;
  Bytes labelFingerprint;
};
struct SetInstanceLabels {
  std::string project, zone, name, requestId;
  InstanceLabels body;
};
struct SetInstanceTags {
  std::string project, zone, name, requestId;
  Tags body;
};
struct GetSerialPort {
  std::string project, zone, name;
  int32_t port = 1;
  std::optional<int64_t> start;
};

inline constexpr Method<InsertInstance, Operation> kInsertInstance{
    kCompute,
    Verb::kPost,
    "/compute/v1/projects/{project}/zones/{zone}/instances",
    "compute.instances.insert",
    "compute.instances.create",
    kProjectResource};
inline constexpr Method<ListZonal, ListOf<Instance>> kListInstances{
    kCompute,
    Verb::kGet,
    "/compute/v1/projects/{project}/zones/{zone}/instances",
    "compute.instances.list",
    "compute.instances.list",
    kProjectResource};
inline constexpr Method<ListProject, AggregatedListOf<InstancesScopedList>> kAggregateInstances{
    kCompute,
    Verb::kGet,
    "/compute/v1/projects/{project}/aggregated/instances",
    "compute.instances.aggregatedList",
    "compute.instances.list",
    kProjectResource};
inline constexpr Method<GetZonal, Instance> kGetInstance{
    kCompute,
    Verb::kGet,
    "/compute/v1/projects/{project}/zones/{zone}/instances/{name}",
    "compute.instances.get",
    "compute.instances.get",
    kProjectResource};
inline constexpr Method<ChangeInstance, Operation> kDeleteInstance{
    kCompute,
    Verb::kDelete,
    "/compute/v1/projects/{project}/zones/{zone}/instances/{name}",
    "compute.instances.delete",
    "compute.instances.delete",
    kProjectResource};
inline constexpr Method<ChangeInstance, Operation> kStartInstance{
    kCompute,
    Verb::kPost,
    "/compute/v1/projects/{project}/zones/{zone}/instances/{name}/start",
    "compute.instances.start",
    "compute.instances.start",
    kProjectResource};
inline constexpr Method<ChangeInstance, Operation> kStopInstance{
    kCompute,
    Verb::kPost,
    "/compute/v1/projects/{project}/zones/{zone}/instances/{name}/stop",
    "compute.instances.stop",
    "compute.instances.stop",
    kProjectResource};
inline constexpr Method<ChangeInstance, Operation> kResetInstance{
    kCompute,
    Verb::kPost,
    "/compute/v1/projects/{project}/zones/{zone}/instances/{name}/reset",
    "compute.instances.reset",
    "compute.instances.reset",
    kProjectResource};
inline constexpr Method<SetInstanceMetadata, Operation> kSetInstanceMetadata{
    kCompute,
    Verb::kPost,
    "/compute/v1/projects/{project}/zones/{zone}/instances/{name}/setMetadata",
    "compute.instances.setMetadata",
    "compute.instances.setMetadata",
    kProjectResource};
inline constexpr Method<SetInstanceLabels, Operation> kSetInstanceLabels{
    kCompute,
    Verb::kPost,
    "/compute/v1/projects/{project}/zones/{zone}/instances/{name}/setLabels",
    "compute.instances.setLabels",
    "compute.instances.setLabels",
    kProjectResource};
inline constexpr Method<SetInstanceTags, Operation> kSetInstanceTags{
    kCompute,
    Verb::kPost,
    "/compute/v1/projects/{project}/zones/{zone}/instances/{name}/setTags",
    "compute.instances.setTags",
    "compute.instances.setTags",
    kProjectResource};
inline constexpr Method<GetSerialPort, SerialPortOutput> kGetSerialPort{
    kCompute,
    Verb::kGet,
    "/compute/v1/projects/{project}/zones/{zone}/instances/{name}/serialPort",
    "compute.instances.getSerialPortOutput",
    "compute.instances.getSerialPortOutput",
    kProjectResource};

}  // namespace fireweed::api::compute

namespace fireweed {
template <>
inline constexpr auto kFields<api::compute::InsertInstance> = [](auto...) {
  return Fields{
      F("project", &api::compute::InsertInstance::project, kPath),
      F("zone", &api::compute::InsertInstance::zone, kPath),
      F("requestId", &api::compute::InsertInstance::requestId, kQuery),
      F("sourceInstanceTemplate", &api::compute::InsertInstance::sourceInstanceTemplate, kQuery),
      F("body", &api::compute::InsertInstance::body, kBody)};
};
template <>
inline constexpr auto kFields<api::compute::ChangeInstance> = [](auto...) {
  return Fields{F("project", &api::compute::ChangeInstance::project, kPath),
                F("zone", &api::compute::ChangeInstance::zone, kPath),
                F("name", &api::compute::ChangeInstance::name, kPath),
                F("requestId", &api::compute::ChangeInstance::requestId, kQuery)};
};
template <>
inline constexpr auto kFields<api::compute::SetInstanceMetadata> = [](auto...) {
  return Fields{F("project", &api::compute::SetInstanceMetadata::project, kPath),
                F("zone", &api::compute::SetInstanceMetadata::zone, kPath),
                F("name", &api::compute::SetInstanceMetadata::name, kPath),
                F("requestId", &api::compute::SetInstanceMetadata::requestId, kQuery),
                F("body", &api::compute::SetInstanceMetadata::body, kBody)};
};
template <>
inline constexpr std::string_view kTypeName<api::compute::InstanceLabels> =
    "InstancesSetLabelsRequest";
template <>
inline constexpr auto kFields<api::compute::InstanceLabels> = [](auto...) {
  return Fields{F("labels", &api::compute::InstanceLabels::labels),
                F("labelFingerprint", &api::compute::InstanceLabels::labelFingerprint)};
};
template <>
inline constexpr auto kFields<api::compute::SetInstanceLabels> = [](auto...) {
  return Fields{F("project", &api::compute::SetInstanceLabels::project, kPath),
                F("zone", &api::compute::SetInstanceLabels::zone, kPath),
                F("name", &api::compute::SetInstanceLabels::name, kPath),
                F("requestId", &api::compute::SetInstanceLabels::requestId, kQuery),
                F("body", &api::compute::SetInstanceLabels::body, kBody)};
};
template <>
inline constexpr auto kFields<api::compute::SetInstanceTags> = [](auto...) {
  return Fields{F("project", &api::compute::SetInstanceTags::project, kPath),
                F("zone", &api::compute::SetInstanceTags::zone, kPath),
                F("name", &api::compute::SetInstanceTags::name, kPath),
                F("requestId", &api::compute::SetInstanceTags::requestId, kQuery),
                F("body", &api::compute::SetInstanceTags::body, kBody)};
};
template <>
inline constexpr auto kFields<api::compute::GetSerialPort> = [](auto...) {
  return Fields{F("project", &api::compute::GetSerialPort::project, kPath),
                F("zone", &api::compute::GetSerialPort::zone, kPath),
                F("name", &api::compute::GetSerialPort::name, kPath),
                F("port", &api::compute::GetSerialPort::port, kQuery),
                F("start", &api::compute::GetSerialPort::start, kQuery)};
};
}  // namespace fireweed
