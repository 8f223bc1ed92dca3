// What groups and templates keep in the catalog. Keys: "PROJECT/ZONE/NAME" for groups, "PROJECT/NAME" for templates.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/compute/instance_groups.h"
#include "api/compute/instance_templates.h"
#include "catalog/record.h"
#include "compute/records.h"
#include "control/backoff.h"
#include "control/operations.h"

namespace fireweed::compute {

struct TemplateRecord {
  std::string project;
  api::compute::InstanceTemplate resource;
  Key key() const { return project + "/" + resource.name; }
};

enum class MemberWish {
  kKeep,
  kRecreate,  // its instance goes, and another of the same name comes
  kDelete,    // its instance goes, and the member with it
};

struct GroupMember {
  std::string name;
  int64_t id = 0;             // of the instance that was made for it; 0: there is none
  std::string template_link;  // what the instance was made of
  MemberWish wish = MemberWish::kKeep;
  bool chosen = false;  // the name was given by a client and is not exchanged for another
  Backoff backoff;      // of the next making
  std::optional<OperationError> last_error;
};

struct GroupError {
  std::string instance, action, template_link;
  OperationError error;
  Time at{};
};

// A managed group: what is wanted of it, and its members on their way there.
struct GroupRecord {
  std::string project, zone;
  api::compute::ManagedGroup resource;
  std::string creator;  // email of the user whose quotas its members count against
  bool gone = false;    // wanted: no members, then no group
  std::vector<GroupMember> members;
  int64_t names_given = 0;
  int32_t completed = 0;
  std::vector<GroupError> errors;  // the last few, oldest first

  int32_t target() const { return resource.targetSize.value_or(0); }
  Key key() const { return project + "/" + zone + "/" + resource.name; }
  Key MemberKey(const std::string& name) const { return project + "/" + zone + "/" + name; }
};

// A group that somebody fills by hand.
struct PlainGroupRecord {
  std::string project, zone;
  api::compute::InstanceGroup resource;
  std::vector<std::string> members;  // names of instances
  Key key() const { return project + "/" + zone + "/" + resource.name; }
};

inline constexpr size_t kMostGroupErrors = 20;
// Keeps the last kMostGroupErrors.
void AddError(GroupRecord& group, GroupError error);
// The making of a member's instance has failed for good: the group tries again, later and later.
void NoteMemberFailure(Txn& txn, const InstanceRecord& instance, const Error& error, Time now);
void NoteFailedMember(GroupRecord& group, GroupMember& member, const Error& error, Time now);

}  // namespace fireweed::compute

namespace fireweed {
template <>
inline constexpr std::string_view kTypeName<compute::TemplateRecord> = "TemplateRecord";
template <>
inline constexpr auto kFields<compute::TemplateRecord> = [](auto...) {
  return Fields{F("project", &compute::TemplateRecord::project),
                F("resource", &compute::TemplateRecord::resource)};
};
template <>
inline constexpr std::string_view kRecordKind<compute::TemplateRecord> =
    "compute.instance-template";
template <>
inline constexpr std::string_view kTypeName<compute::MemberWish> = "MemberWish";
template <>
inline constexpr std::array<std::string_view, 3> kEnumNames<compute::MemberWish>{"KEEP", "RECREATE",
                                                                                 "DELETE"};
template <>
inline constexpr std::string_view kTypeName<compute::GroupMember> = "GroupMember";
template <>
inline constexpr auto kFields<compute::GroupMember> = [](auto...) {
  return Fields{F("name", &compute::GroupMember::name),
                F("id", &compute::GroupMember::id),
                F("template", &compute::GroupMember::template_link),
                F("wish", &compute::GroupMember::wish),
                F("chosen", &compute::GroupMember::chosen),
                F("backoff", &compute::GroupMember::backoff),
                F("lastError", &compute::GroupMember::last_error)};
};
template <>
inline constexpr std::string_view kTypeName<compute::GroupError> = "GroupError";
template <>
inline constexpr auto kFields<compute::GroupError> = [](auto...) {
  return Fields{F("instance", &compute::GroupError::instance),
                F("action", &compute::GroupError::action),
                F("template", &compute::GroupError::template_link),
                F("error", &compute::GroupError::error), F("at", &compute::GroupError::at)};
};
template <>
inline constexpr std::string_view kTypeName<compute::GroupRecord> = "GroupRecord";
template <>
inline constexpr auto kFields<compute::GroupRecord> = [](auto...) {
  return Fields{F("project", &compute::GroupRecord::project),
                F("zone", &compute::GroupRecord::zone),
                F("resource", &compute::GroupRecord::resource),
                F("creator", &compute::GroupRecord::creator),
                F("gone", &compute::GroupRecord::gone),
                F("members", &compute::GroupRecord::members),
                F("namesGiven", &compute::GroupRecord::names_given),
                F("completed", &compute::GroupRecord::completed),
                F("errors", &compute::GroupRecord::errors)};
};
template <>
inline constexpr std::string_view kRecordKind<compute::GroupRecord> =
    "compute.instance-group-manager";
template <>
inline constexpr std::string_view kTypeName<compute::PlainGroupRecord> = "PlainGroupRecord";
template <>
inline constexpr auto kFields<compute::PlainGroupRecord> = [](auto...) {
  return Fields{F("project", &compute::PlainGroupRecord::project),
                F("zone", &compute::PlainGroupRecord::zone),
                F("resource", &compute::PlainGroupRecord::resource),
                F("members", &compute::PlainGroupRecord::members)};
};
template <>
inline constexpr std::string_view kRecordKind<compute::PlainGroupRecord> = "compute.instance-group";
}  // namespace fireweed
