#include "compute/group_managers_service.h"

#include <algorithm>

#include <fmt/format.h>

#include "compute/catalogue.h"
#include "compute/completion.h"
#include "compute/group_sight.h"
#include "compute/instance_change.h"
#include "compute/links.h"
#include "compute/metadata_items.h"
#include "compute/operations_service.h"
#include "compute/paging.h"
#include "describe/json_tree.h"

namespace fireweed::compute {
namespace {

using api::compute::ManagedGroup;

constexpr std::string_view kKind = kRecordKind<GroupRecord>;
constexpr int32_t kLargestGroup = 1000;
constexpr size_t kLongestBase = 58;  // a dash and four characters follow

[[noreturn]] void Invalid(std::string_view field, std::string_view value, std::string_view why) {
  throw Failure(Code::kInvalid,
                fmt::format("Invalid value for field '{}': '{}'. {}", field, value, why));
}

// What a group here cannot do is refused, not forgotten.
void RefuseUnsupported(const ManagedGroup& group) {
  bool stateful = !group.statefulPolicy.text.empty() && group.statefulPolicy.text != "null";
  if (stateful) Invalid("resource.statefulPolicy", "", "Stateful groups are not supported.");
  bool spread = !group.distributionPolicy.text.empty() && group.distributionPolicy.text != "null";
  if (spread) Invalid("resource.distributionPolicy", "", "Regional groups are not supported.");
  if (!group.targetPools.empty()) {
    Invalid("resource.targetPools", group.targetPools.front(), "Target pools are not supported.");
  }
  if (group.versions.size() > 1) {
    Invalid("resource.versions", std::to_string(group.versions.size()),
            "One version at a time is supported.");
  }
  if (group.updatePolicy.type != "OPPORTUNISTIC") {
    Invalid("resource.updatePolicy.type", group.updatePolicy.type,
            "Only OPPORTUNISTIC is supported: recreate-instances moves members to the template.");
  }
  for (const api::compute::AutoHealingPolicy& policy : group.autoHealingPolicies) {
    if (policy.healthCheck.empty()) continue;
    throw Failure(
        Code::kNotFound,
        fmt::format("The resource '{}' was not found: there are no health checks; members "
                    "that die are made anew without one.",
                    policy.healthCheck));
  }
}

void CheckSize(int32_t size) {
  if (size >= 0 && size <= kLargestGroup) return;
  Invalid("resource.targetSize", std::to_string(size), "Must be between 0 and 1000.");
}

GroupMember& MemberOf(GroupRecord& group, const std::string& reference) {
  std::string name = LastWord(reference);
  for (GroupMember& member : group.members) {
    if (member.name == name) return member;
  }
  throw Failure(
      Code::kInvalid,
      fmt::format("Invalid value for field 'instances': '{}'. Instance is not a member of "
                  "the instance group '{}'.",
                  reference, group.resource.name));
}

void RefuseDoomedGroup(const GroupRecord& group) {
  if (!group.gone) return;
  throw Failure(Code::kInvalid, "resourceNotReady",
                fmt::format("The resource '{}' is not ready",
                            GroupPath(group.project, group.zone, group.resource.name)));
}

// Clients that preserve nothing say so with empty maps.
bool HoldsNothing(const JsonTree& value) {
  auto empty = [](const JsonTree::Member& member) { return HoldsNothing(member.second); };
  return value.IsNull() || (value.IsList() && value.items().empty()) ||
         (value.IsObject() && std::all_of(value.members().begin(), value.members().end(), empty));
}

}  // namespace

void GroupManagersService::Serve(net::Router& router) {
  using Self = GroupManagersService;
  namespace c = api::compute;
  router.On(c::kInsertManagedGroup, this, &Self::Insert);
  router.On(c::kInsertRegionalManagedGroup, this, &Self::InsertRegional);
  router.On(c::kGetManagedGroup, this, &Self::Get);
  router.On(c::kListManagedGroups, this, &Self::List);
  router.On(c::kAggregateManagedGroups, this, &Self::Aggregate);
  router.On(c::kPatchManagedGroup, this, &Self::Patch);
  router.On(c::kDeleteManagedGroup, this, &Self::Delete);
  router.On(c::kResizeManagedGroup, this, &Self::Resize);
  router.On(c::kListManagedInstances, this, &Self::ListManaged);
  router.On(c::kListGroupErrors, this, &Self::ListErrors);
  router.On(c::kRecreateGroupInstances, this, &Self::Recreate);
  router.On(c::kDeleteGroupInstances, this, &Self::DeleteInstances);
  router.On(c::kAbandonGroupInstances, this, &Self::Abandon);
  router.On(c::kCreateGroupInstances, this, &Self::CreateInstances);
  router.On(c::kSetGroupTemplate, this, &Self::SetTemplate);
  router.On(c::kSetGroupTargetPools, this, &Self::SetTargetPools);
}

TemplateRecord GroupManagersService::UsableTemplate(const std::string& project,
                                                    const std::string& reference,
                                                    const net::Call& call) {
  if (reference.empty()) Invalid("resource.instanceTemplate", "", "The field is required.");
  TemplateRecord source =
      Query(catalog_, [&](Txn& txn) { return FindTemplate(txn, project, reference); });
  if (source.project != project) {
    net::Require(rights_.access, call.caller, "compute.instanceTemplates.useReadOnly",
                 "projects/" + source.project);
  }
  RequireMaking(rights_, call.caller, project, *source.resource.properties);
  CheckMetadata(source.resource.properties->metadata);
  return source;
}

void GroupManagersService::FitGroup(GroupRecord& record, const net::Call& call) {
  ManagedGroup& group = record.resource;
  if (!Catalogue::HasZone(record.zone)) {
    throw Failure(Code::kNotFound, fmt::format("The resource 'projects/{}/zones/{}' was not found",
                                               record.project, record.zone));
  }
  if (!IsResourceName(group.name)) {
    Invalid("resource.name", group.name,
            "Must be a match of regex '(?:[a-z](?:[-a-z0-9]{0,61}[a-z0-9])?)'");
  }
  if (group.baseInstanceName.empty()) group.baseInstanceName = group.name.substr(0, kLongestBase);
  if (!IsResourceName(group.baseInstanceName) || group.baseInstanceName.size() > kLongestBase) {
    Invalid("resource.baseInstanceName", group.baseInstanceName, "Must be a short resource name.");
  }
  RefuseUnsupported(group);
  CheckCompletion("resource.completion", group.completion);
  CheckSize(record.target());
  if (group.instanceTemplate.empty() && !group.versions.empty()) {
    group.instanceTemplate = group.versions.front().instanceTemplate;
  }
  group.versions.clear();
  group.instanceTemplate =
      UsableTemplate(record.project, group.instanceTemplate, call).resource.selfLink;
  std::string scope = "zones/" + record.zone;
  group.id = ids_.NextNumber();
  group.creationTimestamp = FormatTime(clock_.Now());
  group.zone = ZoneLink(record.project, record.zone);
  group.selfLink = ScopedLink(record.project, scope, "instanceGroupManagers", group.name);
  group.instanceGroup = ScopedLink(record.project, scope, "instanceGroups", group.name);
}

api::compute::Operation GroupManagersService::Insert(
    const api::compute::InsertManagedGroup& request, const net::Call& call) {
  GroupRecord record{.project = request.project,
                     .zone = request.zone,
                     .resource = request.body,
                     .creator = call.caller.email};
  FitGroup(record, call);
  Time now = clock_.Now();
  Operation operation = NewOperation(
      ids_, {request.project, "zones/" + request.zone, kKind, record.key(), 1, record.resource.id},
      "insert", request.requestId, call.caller);
  operation.ended = now;
  return ShowOperation(Update(catalog_, "group insert", [&](Txn& txn) {
    if (auto earlier = FindRetried(txn, operation)) return *earlier;
    RefuseTakenGroup(txn, request.project, request.zone, record.resource.name);
    txn.Put(record.key(), record, 0);
    return Begin(txn, operation, now);
  }));
}

api::compute::Operation GroupManagersService::InsertRegional(
    const api::compute::InsertRegionalManagedGroup& request, const net::Call&) {
  Invalid("region", request.region,
          "Regional managed instance groups are not supported; name a zone (--zone).");
}

ManagedGroup GroupManagersService::Get(const api::compute::GetZonal& request, const net::Call&) {
  return Query(catalog_, [&](Txn& txn) {
    GroupRecord group = FindGroup(txn, request.project, request.zone, request.name);
    return GroupSight(txn, group).Manager();
  });
}

api::compute::ListOf<ManagedGroup> GroupManagersService::List(
    const api::compute::ListZonal& request, const net::Call&) {
  PageRequest wanted(request);
  auto page = Query(catalog_, [&](Txn& txn) {
    return PageOfRows<GroupRecord, ManagedGroup>(
        txn, request.project + "/" + request.zone + "/", wanted,
        [&](const GroupRecord& record) { return GroupSight(txn, record).Manager(); });
  });
  return {.kind = "compute#instanceGroupManagerList",
          .id = fmt::format("projects/{}/zones/{}/instanceGroupManagers", request.project,
                            request.zone),
          .items = page.TakeValues(),
          .nextPageToken = page.next,
          .selfLink = ZoneLink(request.project, request.zone) + "/instanceGroupManagers"};
}

api::compute::AggregatedListOf<api::compute::InstanceGroupManagersScopedList>
GroupManagersService::Aggregate(const api::compute::ListProject& request, const net::Call&) {
  PageRequest wanted(request);
  auto page = Query(catalog_, [&](Txn& txn) {
    return PageOfRows<GroupRecord, ManagedGroup>(
        txn, request.project + "/", wanted,
        [&](const GroupRecord& record) { return GroupSight(txn, record).Manager(); });
  });
  api::compute::AggregatedListOf<api::compute::InstanceGroupManagersScopedList> reply{
      .kind = "compute#instanceGroupManagerAggregatedList",
      .id = "projects/" + request.project + "/aggregated/instanceGroupManagers",
      .nextPageToken = page.next,
      .selfLink = ProjectLink(request.project) + "/aggregated/instanceGroupManagers"};
  for (auto& [key, group] : page.items) {
    reply.items["zones/" + LastWord(group.zone)].instanceGroupManagers.push_back(std::move(group));
  }
  if (!request.includeAllScopes) return reply;
  for (const std::string& zone : Catalogue::ZoneNames()) {
    auto& scope = reply.items["zones/" + zone];
    if (scope.instanceGroupManagers.empty()) scope.warning = NoResultsIn("zones/" + zone);
  }
  return reply;
}

template <class Request>
api::compute::Operation GroupManagersService::Apply(const Request& request, const net::Call& call,
                                                    std::string verb, const Change& change) {
  Key key = request.project + "/" + request.zone + "/" + request.name;
  Time now = clock_.Now();
  Operation operation =
      NewOperation(ids_, {request.project, "zones/" + request.zone, kKind, key, 1}, verb,
                   request.requestId, call.caller);
  return ShowOperation(Update(catalog_, "group " + verb, [&](Txn& txn) {
    if (auto earlier = FindRetried(txn, operation)) return *earlier;
    GroupRecord group = FindGroup(txn, request.project, request.zone, request.name);
    change(txn, group);
    txn.Put(key, group);
    Operation fresh = operation;
    fresh.target_id = group.resource.id;
    fresh.target_version = group.gone ? kGone : 1;
    if (!group.gone) fresh.ended = now;
    return Begin(txn, fresh, now);
  }));
}

api::compute::Operation GroupManagersService::Patch(const api::compute::PatchManagedGroup& request,
                                                    const net::Call& call) {
  // The request alone, to look at what it names before the transaction.
  auto probe = DecodeJson<ManagedGroup>(request.body.text);
  if (probe.instanceTemplate.empty() && !probe.versions.empty()) {
    probe.instanceTemplate = probe.versions.front().instanceTemplate;
  }
  if (!probe.instanceTemplate.empty()) {
    probe.instanceTemplate =
        UsableTemplate(request.project, probe.instanceTemplate, call).resource.selfLink;
  }
  return Apply(request, call, "patch", [&](Txn&, GroupRecord& group) {
    RefuseDoomedGroup(group);
    PatchJson(group.resource, request.body.text);
    RefuseUnsupported(group.resource);
    CheckCompletion("resource.completion", group.resource.completion);
    CheckSize(group.target());
    group.resource.versions.clear();
    if (!probe.instanceTemplate.empty()) group.resource.instanceTemplate = probe.instanceTemplate;
  });
}

api::compute::Operation GroupManagersService::Delete(
    const api::compute::ChangeManagedGroup& request, const net::Call& call) {
  return Apply(request, call, "delete", [](Txn&, GroupRecord& group) { group.gone = true; });
}

api::compute::Operation GroupManagersService::Resize(
    const api::compute::ResizeManagedGroup& request, const net::Call& call) {
  CheckSize(request.size);
  return Apply(request, call, "compute.instanceGroupManagers.resize",
               [&](Txn&, GroupRecord& group) {
                 RefuseDoomedGroup(group);
                 group.resource.targetSize = request.size;
               });
}

api::compute::ManagedInstances GroupManagersService::ListManaged(
    const api::compute::ListManaged& request, const net::Call&) {
  PageRequest wanted(request);
  return Query(catalog_, [&](Txn& txn) {
    GroupRecord group = FindGroup(txn, request.project, request.zone, request.name);
    GroupSight sight(txn, group);
    std::vector<std::pair<Key, api::compute::ManagedInstance>> all;
    for (size_t i = 0; i < sight.size(); ++i) {
      api::compute::ManagedInstance member = sight.Member(i);
      std::string name = member.name;
      all.emplace_back(std::move(name), std::move(member));
    }
    std::ranges::sort(all, {}, &std::pair<Key, api::compute::ManagedInstance>::first);
    auto page = PageOfTable(wanted, std::move(all));
    api::compute::ManagedInstances reply;
    reply.nextPageToken = page.next;
    reply.managedInstances = page.TakeValues();
    return reply;
  });
}

api::compute::GroupErrorList GroupManagersService::ListErrors(
    const api::compute::ListManaged& request, const net::Call&) {
  GroupRecord group = Query(catalog_, [&](Txn& txn) {
    return FindGroup(txn, request.project, request.zone, request.name);
  });
  api::compute::GroupErrorList list;
  for (const GroupError& error : group.errors) {
    api::compute::GroupErrorItem item{.timestamp = FormatTime(error.at)};
    item.error = {.code = error.error.reason.empty() ? error.error.code : error.error.reason,
                  .message = error.error.message};
    item.instanceActionDetails.instance =
        ScopedLink(group.project, "zones/" + group.zone, "instances", error.instance);
    item.instanceActionDetails.action = error.action;
    item.instanceActionDetails.version.instanceTemplate = error.template_link;
    list.items.push_back(std::move(item));
  }
  return list;
}

api::compute::Operation GroupManagersService::Recreate(
    const api::compute::ChangeGroupInstances& request, const net::Call& call) {
  return Apply(request, call, "compute.instanceGroupManagers.recreateInstances",
               [&](Txn&, GroupRecord& group) {
                 RefuseDoomedGroup(group);
                 for (const std::string& reference : request.body.instances) {
                   GroupMember& member = MemberOf(group, reference);
                   if (member.wish == MemberWish::kKeep) member.wish = MemberWish::kRecreate;
                   member.backoff = {};
                 }
               });
}

api::compute::Operation GroupManagersService::DeleteInstances(
    const api::compute::ChangeGroupInstances& request, const net::Call& call) {
  return Apply(request, call, "compute.instanceGroupManagers.deleteInstances",
               [&](Txn&, GroupRecord& group) {
                 RefuseDoomedGroup(group);
                 for (const std::string& reference : request.body.instances) {
                   GroupMember& member = MemberOf(group, reference);
                   if (member.wish == MemberWish::kDelete) continue;
                   member.wish = MemberWish::kDelete;
                   group.resource.targetSize = std::max(0, group.target() - 1);
                 }
               });
}

api::compute::Operation GroupManagersService::Abandon(
    const api::compute::ChangeGroupInstances& request, const net::Call& call) {
  return Apply(request, call, "compute.instanceGroupManagers.abandonInstances",
               [&](Txn& txn, GroupRecord& group) {
                 RefuseDoomedGroup(group);
                 for (const std::string& reference : request.body.instances) {
                   GroupMember member = MemberOf(group, reference);
                   Key key = group.MemberKey(member.name);
                   auto row = txn.Find<InstanceRecord>(key);
                   if (row && row->value.resource.id == member.id) {
                     row->value.group.clear();
                     txn.Put(key, row->value);
                   }
                   bool counted = member.wish != MemberWish::kDelete;
                   if (counted) group.resource.targetSize = std::max(0, group.target() - 1);
                   std::erase_if(group.members,
                                 [&](const GroupMember& one) { return one.name == member.name; });
                 }
               });
}

api::compute::Operation GroupManagersService::CreateInstances(
    const api::compute::CreateGroupInstances& request, const net::Call& call) {
  return Apply(
      request, call, "compute.instanceGroupManagers.createInstances",
      [&](Txn& txn, GroupRecord& group) {
        RefuseDoomedGroup(group);
        for (const api::compute::PerInstanceConfig& wanted : request.body.instances) {
          if (!IsResourceName(wanted.name)) {
            Invalid("instances.name", wanted.name, "Must be a resource name.");
          }
          if (!wanted.preservedState.text.empty() &&
              !HoldsNothing(JsonTree::Parse(wanted.preservedState.text))) {
            Invalid("instances.preservedState", wanted.name, "Stateful groups are not supported.");
          }
          bool taken = txn.Find<InstanceRecord>(group.MemberKey(wanted.name)).has_value();
          for (const GroupMember& member : group.members) {
            taken = taken || member.name == wanted.name;
          }
          if (taken) {
            throw Failure(Code::kExists, "alreadyExists",
                          fmt::format("The resource '{}' already exists",
                                      InstancePath(group.project, group.zone, wanted.name)));
          }
          group.members.push_back({.name = wanted.name, .chosen = true});
          group.resource.targetSize = group.target() + 1;
        }
        CheckSize(group.target());
      });
}

api::compute::Operation GroupManagersService::SetTemplate(
    const api::compute::SetGroupTemplate& request, const net::Call& call) {
  std::string link =
      UsableTemplate(request.project, request.body.instanceTemplate, call).resource.selfLink;
  return Apply(request, call, "compute.instanceGroupManagers.setInstanceTemplate",
               [&](Txn&, GroupRecord& group) {
                 RefuseDoomedGroup(group);
                 group.resource.instanceTemplate = link;
               });
}

api::compute::Operation GroupManagersService::SetTargetPools(
    const api::compute::SetGroupTargetPools& request, const net::Call&) {
  Invalid("targetPools", request.body.targetPools.empty() ? "" : request.body.targetPools.front(),
          "Target pools are not supported.");
}

}  // namespace fireweed::compute
