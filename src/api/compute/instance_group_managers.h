// Managed instance groups as the API shows them: a template, a size, and who is on the way to it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/compute/service.h"
#include "describe/type.h"

namespace fireweed::api::compute {

struct NamedPort {
  std::string name;
  int32_t port = 0;
};

struct GroupVersionTarget {
  bool isReached = true;
};
struct GroupStateful {
  bool hasStatefulConfig = false;
};
struct GroupStatus {
  bool isStable = false;
  GroupVersionTarget versionTarget;
  GroupStateful stateful;
  int32_t completedInstances = 0;  // Fireweed's own: members whose work is done
};

struct GroupActions {
  int32_t none = 0, creating = 0, creatingWithoutRetries = 0, recreating = 0, deleting = 0,
          abandoning = 0, restarting = 0, refreshing = 0, verifying = 0, suspending = 0,
          resuming = 0, starting = 0, stopping = 0;
};

struct GroupVersionSize {
  std::optional<int32_t> fixed, percent, calculated;
};
struct GroupVersion {
  std::string name, instanceTemplate;
  std::optional<GroupVersionSize> targetSize;
};
struct AutoHealingPolicy {
  std::string healthCheck;
  int32_t initialDelaySec = 0;
};
struct GroupUpdatePolicy {
  std::string type = "OPPORTUNISTIC", minimalAction = "REPLACE", replacementMethod = "SUBSTITUTE";
};

struct ManagedGroup {
  std::string kind = "compute#instanceGroupManager";
  int64_t id = 0;
  std::string creationTimestamp, name, description, zone, instanceTemplate, instanceGroup,
      baseInstanceName;
  std::vector<GroupVersion> versions;
  std::vector<std::string> targetPools;
  std::optional<int32_t> targetSize;
  std::vector<NamedPort> namedPorts;
  std::vector<AutoHealingPolicy> autoHealingPolicies;
  GroupUpdatePolicy updatePolicy;
  GroupActions currentActions;
  GroupStatus status;
  Bytes fingerprint;
  std::string listManagedInstancesResults = "PAGELESS";
  std::string selfLink;
  // What is refused when it is there.
  Json statefulPolicy, distributionPolicy;
  // Fireweed's own: never (or nothing), on-poweroff, on-success. Wins over the template's and the metadata's.
  std::string completion;
};

struct InstanceGroupManagersScopedList {
  std::vector<ManagedGroup> instanceGroupManagers;
  std::optional<Warning> warning;
};

struct ManagedVersion {
  std::string name, instanceTemplate;
};
struct ManagedAttemptError {
  std::string code, message;
};
struct ManagedAttemptErrors {
  std::vector<ManagedAttemptError> errors;
};
struct ManagedLastAttempt {
  ManagedAttemptErrors errors;
};
struct ManagedInstance {
  std::string instance, name, instanceStatus, currentAction = "NONE";
  int64_t id = 0;
  ManagedVersion version;
  std::optional<ManagedLastAttempt> lastAttempt;
};
struct ManagedInstances {
  std::vector<ManagedInstance> managedInstances;
  std::string nextPageToken;
};

struct GroupActionDetails {
  std::string instance, action;
  ManagedVersion version;
};
struct GroupErrorItem {
  ManagedAttemptError error;
  GroupActionDetails instanceActionDetails;
  std::string timestamp;
};
struct GroupErrorList {
  std::vector<GroupErrorItem> items;
  std::string nextPageToken;
};

}  // namespace fireweed::api::compute

namespace fireweed {
template <>
inline constexpr std::string_view kTypeName<api::compute::NamedPort> = "NamedPort";
template <>
inline constexpr auto kFields<api::compute::NamedPort> = [](auto...) {
  return Fields{F("name", &api::compute::NamedPort::name),
                F("port", &api::compute::NamedPort::port)};
};
template <>
inline constexpr std::string_view kTypeName<api::compute::GroupVersionTarget> =
    "InstanceGroupManagerStatusVersionTarget";
template <>
inline constexpr auto kFields<api::compute::GroupVersionTarget> =
    [](auto...) { return Fields{F("isReached", &api::compute::GroupVersionTarget::isReached)}; };
template <>
inline constexpr std::string_view kTypeName<api::compute::GroupStateful> =
    "InstanceGroupManagerStatusStateful";
template <>
inline constexpr auto kFields<api::compute::GroupStateful> = [](auto...) {
  return Fields{F("hasStatefulConfig", &api::compute::GroupStateful::hasStatefulConfig)};
};
template <>
inline constexpr std::string_view kTypeName<api::compute::GroupStatus> =
    "InstanceGroupManagerStatus";
template <>
inline constexpr auto kFields<api::compute::GroupStatus> = [](auto...) {
  return Fields{F("isStable", &api::compute::GroupStatus::isStable),
                F("versionTarget", &api::compute::GroupStatus::versionTarget),
                F("stateful", &api::compute::GroupStatus::stateful),
                F("completedInstances", &api::compute::GroupStatus::completedInstances)};
};
template <>
inline constexpr std::string_view kTypeName<api::compute::GroupActions> =
    "InstanceGroupManagerActionsSummary";
template <>
inline constexpr auto kFields<api::compute::GroupActions> = [](auto...) {
  return Fields{F("none", &api::compute::GroupActions::none),
                F("creating", &api::compute::GroupActions::creating),
                F("creatingWithoutRetries", &api::compute::GroupActions::creatingWithoutRetries),
                F("recreating", &api::compute::GroupActions::recreating),
                F("deleting", &api::compute::GroupActions::deleting),
                F("abandoning", &api::compute::GroupActions::abandoning),
                F("restarting", &api::compute::GroupActions::restarting),
                F("refreshing", &api::compute::GroupActions::refreshing),
                F("verifying", &api::compute::GroupActions::verifying),
                F("suspending", &api::compute::GroupActions::suspending),
                F("resuming", &api::compute::GroupActions::resuming),
                F("starting", &api::compute::GroupActions::starting),
                F("stopping", &api::compute::GroupActions::stopping)};
};
template <>
inline constexpr std::string_view kTypeName<api::compute::GroupVersionSize> = "FixedOrPercent";
template <>
inline constexpr auto kFields<api::compute::GroupVersionSize> = [](auto...) {
  return Fields{F("fixed", &api::compute::GroupVersionSize::fixed),
                F("percent", &api::compute::GroupVersionSize::percent),
                F("calculated", &api::compute::GroupVersionSize::calculated)};
};
template <>
inline constexpr std::string_view kTypeName<api::compute::GroupVersion> =
    "InstanceGroupManagerVersion";
template <>
inline constexpr auto kFields<api::compute::GroupVersion> = [](auto...) {
  return Fields{F("name", &api::compute::GroupVersion::name),
                F("instanceTemplate", &api::compute::GroupVersion::instanceTemplate),
                F("targetSize", &api::compute::GroupVersion::targetSize)};
};
template <>
inline constexpr std::string_view kTypeName<api::compute::AutoHealingPolicy> =
    "InstanceGroupManagerAutoHealingPolicy";
template <>
inline constexpr auto kFields<api::compute::AutoHealingPolicy> = [](auto...) {
  return Fields{F("healthCheck", &api::compute::AutoHealingPolicy::healthCheck),
                F("initialDelaySec", &api::compute::AutoHealingPolicy::initialDelaySec)};
};
template <>
inline constexpr std::string_view kTypeName<api::compute::GroupUpdatePolicy> =
    "InstanceGroupManagerUpdatePolicy";
template <>
inline constexpr auto kFields<api::compute::GroupUpdatePolicy> = [](auto...) {
  return Fields{F("type", &api::compute::GroupUpdatePolicy::type),
                F("minimalAction", &api::compute::GroupUpdatePolicy::minimalAction),
                F("replacementMethod", &api::compute::GroupUpdatePolicy::replacementMethod)};
};
template <>
inline constexpr std::string_view kTypeName<api::compute::ManagedGroup> = "InstanceGroupManager";
template <>
inline constexpr auto kFields<api::compute::ManagedGroup> = [](auto...) {
  return Fields{
      F("kind", &api::compute::ManagedGroup::kind, kOutput),
      F("id", &api::compute::ManagedGroup::id, kOutput),
      F("creationTimestamp", &api::compute::ManagedGroup::creationTimestamp, kOutput),
      F("name", &api::compute::ManagedGroup::name, kRequired | kImmutable),
      F("description", &api::compute::ManagedGroup::description),
      F("zone", &api::compute::ManagedGroup::zone, kOutput),
      F("instanceTemplate", &api::compute::ManagedGroup::instanceTemplate),
      F("instanceGroup", &api::compute::ManagedGroup::instanceGroup, kOutput),
      F("targetPools", &api::compute::ManagedGroup::targetPools),
      F("baseInstanceName", &api::compute::ManagedGroup::baseInstanceName),
      F("targetSize", &api::compute::ManagedGroup::targetSize),
      F("namedPorts", &api::compute::ManagedGroup::namedPorts),
      F("versions", &api::compute::ManagedGroup::versions),
      F("autoHealingPolicies", &api::compute::ManagedGroup::autoHealingPolicies),
      F("updatePolicy", &api::compute::ManagedGroup::updatePolicy),
      F("currentActions", &api::compute::ManagedGroup::currentActions, kOutput),
      F("status", &api::compute::ManagedGroup::status, kOutput),
      F("fingerprint", &api::compute::ManagedGroup::fingerprint),
      F("listManagedInstancesResults", &api::compute::ManagedGroup::listManagedInstancesResults),
      F("statefulPolicy", &api::compute::ManagedGroup::statefulPolicy),
      F("distributionPolicy", &api::compute::ManagedGroup::distributionPolicy),
      F("completion", &api::compute::ManagedGroup::completion),
      F("selfLink", &api::compute::ManagedGroup::selfLink, kOutput)};
};
template <>
inline constexpr std::string_view kTypeName<api::compute::ListOf<api::compute::ManagedGroup>> =
    "InstanceGroupManagerList";
template <>
inline constexpr std::string_view kTypeName<api::compute::InstanceGroupManagersScopedList> =
    "InstanceGroupManagersScopedList";
template <>
inline constexpr auto kFields<api::compute::InstanceGroupManagersScopedList> = [](auto...) {
  return Fields{F("instanceGroupManagers",
                  &api::compute::InstanceGroupManagersScopedList::instanceGroupManagers),
                F("warning", &api::compute::InstanceGroupManagersScopedList::warning)};
};
template <>
inline constexpr std::string_view
    kTypeName<api::compute::AggregatedListOf<api::compute::InstanceGroupManagersScopedList>> =
        "InstanceGroupManagerAggregatedList";
template <>
inline constexpr std::string_view kTypeName<api::compute::ManagedVersion> =
    "ManagedInstanceVersion";
template <>
inline constexpr auto kFields<api::compute::ManagedVersion> = [](auto...) {
  return Fields{F("name", &api::compute::ManagedVersion::name),
                F("instanceTemplate", &api::compute::ManagedVersion::instanceTemplate)};
};
template <>
inline constexpr std::string_view kTypeName<api::compute::ManagedAttemptError> =
    "ManagedInstanceLastAttemptError";
template <>
inline constexpr auto kFields<api::compute::ManagedAttemptError> = [](auto...) {
  return Fields{F("code", &api::compute::ManagedAttemptError::code),
                F("message", &api::compute::ManagedAttemptError::message)};
};
template <>
inline constexpr std::string_view kTypeName<api::compute::ManagedAttemptErrors> =
    "ManagedInstanceLastAttemptErrors";
template <>
inline constexpr auto kFields<api::compute::ManagedAttemptErrors> =
    [](auto...) { return Fields{F("errors", &api::compute::ManagedAttemptErrors::errors)}; };
template <>
inline constexpr std::string_view kTypeName<api::compute::ManagedLastAttempt> =
    "ManagedInstanceLastAttempt";
template <>
inline constexpr auto kFields<api::compute::ManagedLastAttempt> =
    [](auto...) { return Fields{F("errors", &api::compute::ManagedLastAttempt::errors)}; };
template <>
inline constexpr std::string_view kTypeName<api::compute::ManagedInstance> = "ManagedInstance";
template <>
inline constexpr auto kFields<api::compute::ManagedInstance> = [](auto...) {
  return Fields{F("instance", &api::compute::ManagedInstance::instance),
                F("name", &api::compute::ManagedInstance::name),
                F("id", &api::compute::ManagedInstance::id),
                F("instanceStatus", &api::compute::ManagedInstance::instanceStatus),
                F("currentAction", &api::compute::ManagedInstance::currentAction),
                F("version", &api::compute::ManagedInstance::version),
                F("lastAttempt", &api::compute::ManagedInstance::lastAttempt)};
};
template <>
inline constexpr std::string_view kTypeName<api::compute::ManagedInstances> =
    "InstanceGroupManagersListManagedInstancesResponse";
template <>
inline constexpr auto kFields<api::compute::ManagedInstances> = [](auto...) {
  return Fields{F("managedInstances", &api::compute::ManagedInstances::managedInstances),
                F("nextPageToken", &api::compute::ManagedInstances::nextPageToken)};
};
template <>
inline constexpr std::string_view kTypeName<api::compute::GroupActionDetails> =
    "InstanceManagedByIgmErrorInstanceActionDetails";
template <>
inline constexpr auto kFields<api::compute::GroupActionDetails> = [](auto...) {
  return Fields{F("instance", &api::compute::GroupActionDetails::instance),
                F("action", &api::compute::GroupActionDetails::action),
                F("version", &api::compute::GroupActionDetails::version)};
};
template <>
inline constexpr std::string_view kTypeName<api::compute::GroupErrorItem> =
    "InstanceManagedByIgmError";
template <>
inline constexpr auto kFields<api::compute::GroupErrorItem> = [](auto...) {
  return Fields{F("error", &api::compute::GroupErrorItem::error),
                F("instanceActionDetails", &api::compute::GroupErrorItem::instanceActionDetails),
                F("timestamp", &api::compute::GroupErrorItem::timestamp)};
};
template <>
inline constexpr std::string_view kTypeName<api::compute::GroupErrorList> =
    "InstanceGroupManagersListErrorsResponse";
template <>
inline constexpr auto kFields<api::compute::GroupErrorList> = [](auto...) {
  return Fields{F("items", &api::compute::GroupErrorList::items),
                F("nextPageToken", &api::compute::GroupErrorList::nextPageToken)};
};
}  // namespace fireweed
