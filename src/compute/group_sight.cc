#include "compute/group_sight.h"

#include <fmt/format.h>

#include "compute/fingerprint.h"
#include "compute/links.h"

namespace fireweed::compute {
namespace {

std::string Link(const GroupRecord& group, std::string_view collection, std::string_view name) {
  return ScopedLink(group.project, "zones/" + group.zone, collection, name);
}

}  // namespace

GroupSight::GroupSight(Txn& txn, const GroupRecord& group) : group_(group) {
  for (const GroupMember& member : group.members) {
    auto row = txn.Find<InstanceRecord>(group.MemberKey(member.name));
    bool ours = row && row->value.group == group.key() && row->value.resource.id == member.id;
    instances_.push_back(ours ? std::optional(std::move(row->value)) : std::nullopt);
  }
  for (const std::optional<InstanceRecord>& instance : instances_) {
    views_.push_back({.instance = instance ? &*instance : nullptr});
  }
}

api::compute::ManagedGroup GroupSight::Manager() const {
  api::compute::ManagedGroup shown = group_.resource;
  shown.targetSize = group_.target();
  shown.currentActions = CountActions(view());
  shown.status.isStable = IsStable(view());
  shown.status.versionTarget.isReached = IsOfOneVersion(group_);
  shown.status.completedInstances = group_.completed;
  shown.versions = {{.name = "",
                     .instanceTemplate = shown.instanceTemplate,
                     .targetSize = api::compute::GroupVersionSize{
                         .fixed = {}, .percent = {}, .calculated = group_.target()}}};
  shown.fingerprint = FingerprintOf(group_.resource);
  return shown;
}

api::compute::InstanceGroup GroupSight::Group() const {
  const api::compute::ManagedGroup& from = group_.resource;
  api::compute::InstanceGroup shown{
      .id = from.id,
      .creationTimestamp = from.creationTimestamp,
      .name = from.name,
      .description =
          "This instance group is controlled by Instance "
          "Group Manager '" +
          from.name + "'.",
      .zone = from.zone,
      .network = ScopedLink(group_.project, "global", "networks", "default"),
      .namedPorts = from.namedPorts,
      .fingerprint = FingerprintOf(from.namedPorts),
      .selfLink = Link(group_, "instanceGroups", from.name)};
  for (const MemberView& member : views_) shown.size += member.instance != nullptr;
  return shown;
}

api::compute::ManagedInstance GroupSight::Member(size_t index) const {
  const GroupMember& member = group_.members[index];
  const InstanceRecord* instance = views_[index].instance;
  api::compute::ManagedInstance shown{
      .instance = Link(group_, "instances", member.name),
      .name = member.name,
      .instanceStatus = instance ? std::string(EnumName(instance->resource.status)) : "",
      .currentAction = std::string(MemberAction(member, instance)),
      .id = instance ? instance->resource.id : 0};
  shown.version.instanceTemplate =
      member.template_link.empty() ? group_.resource.instanceTemplate : member.template_link;
  if (member.last_error) {
    shown.lastAttempt.emplace().errors.errors.push_back({.code = member.last_error->reason.empty()
                                                                     ? member.last_error->code
                                                                     : member.last_error->reason,
                                                         .message = member.last_error->message});
  }
  return shown;
}

std::string GroupPath(std::string_view project, std::string_view zone, std::string_view name) {
  return fmt::format("projects/{}/zones/{}/instanceGroupManagers/{}", project, zone, name);
}

GroupRecord FindGroup(Txn& txn, const std::string& project, const std::string& zone,
                      const std::string& name) {
  auto row = txn.Find<GroupRecord>(project + "/" + zone + "/" + name);
  if (!row) {
    throw Failure(Code::kNotFound,
                  fmt::format("The resource '{}' was not found", GroupPath(project, zone, name)));
  }
  return std::move(row->value);
}

void RefuseTakenGroup(Txn& txn, const std::string& project, const std::string& zone,
                      const std::string& name) {
  Key key = project + "/" + zone + "/" + name;
  if (!txn.Find<GroupRecord>(key) && !txn.Find<PlainGroupRecord>(key)) return;
  throw Failure(Code::kExists, "alreadyExists",
                fmt::format("The resource 'projects/{}/zones/{}/instanceGroups/{}' already exists",
                            project, zone, name));
}

}  // namespace fireweed::compute
