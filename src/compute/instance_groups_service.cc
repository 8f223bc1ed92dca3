#include "compute/instance_groups_service.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "compute/catalogue.h"
#include "compute/fingerprint.h"
#include "compute/group_sight.h"
#include "compute/instance_change.h"
#include "compute/links.h"
#include "compute/operations_service.h"
#include "compute/paging.h"

namespace fireweed::compute {
namespace {

using api::compute::InstanceGroup;

constexpr std::string_view kKind = kRecordKind<PlainGroupRecord>;

[[noreturn]] void NoSuchGroup(const std::string& project, const std::string& zone,
                              const std::string& name) {
  throw Failure(Code::kNotFound,
                fmt::format("The resource 'projects/{}/zones/{}/instanceGroups/{}' was not found",
                            project, zone, name));
}

[[noreturn]] void RefuseManaged(const std::string& name) {
  throw Failure(Code::kInvalid,
                fmt::format("The instance group '{}' is managed by an instance group manager: "
                            "change it there.",
                            name));
}

InstanceGroup Show(const PlainGroupRecord& record) {
  InstanceGroup shown = record.resource;
  shown.size = static_cast<int32_t>(record.members.size());
  shown.fingerprint = FingerprintOf(shown.namedPorts);
  return shown;
}

// Managed and plain groups below a prefix, in the order of their keys.
std::vector<std::pair<Key, InstanceGroup>> AllGroups(Txn& txn, const std::string& prefix) {
  std::map<Key, InstanceGroup> all;
  auto collect = [&]<class Record>(const std::function<InstanceGroup(const Record&)>& show) {
    txn.ForEach<Record>({.prefix = prefix},
                        [&](const auto& row) { all.emplace(row.key, show(row.value)); });
  };
  collect(std::function<InstanceGroup(const PlainGroupRecord&)>(&Show));
  collect(std::function<InstanceGroup(const GroupRecord&)>(
      [&](const GroupRecord& record) { return GroupSight(txn, record).Group(); }));
  return {all.begin(), all.end()};
}

}  // namespace

void InstanceGroupsService::Serve(net::Router& router) {
  using Self = InstanceGroupsService;
  namespace c = api::compute;
  router.On(c::kInsertGroup, this, &Self::Insert);
  router.On(c::kGetGroup, this, &Self::Get);
  router.On(c::kListGroups, this, &Self::List);
  router.On(c::kAggregateGroups, this, &Self::Aggregate);
  router.On(c::kDeleteGroup, this, &Self::Delete);
  router.On(c::kAddGroupInstances, this, &Self::AddInstances);
  router.On(c::kRemoveGroupInstances, this, &Self::RemoveInstances);
  router.On(c::kSetGroupPorts, this, &Self::SetNamedPorts);
  router.On(c::kListGroupInstances, this, &Self::ListInstances);
  router.On(c::kListAutoscalers, this, &Self::ListAutoscalers);
  router.On(c::kAggregateAutoscalers, this, &Self::AggregateAutoscalers);
}

api::compute::Operation InstanceGroupsService::Insert(const api::compute::InsertGroup& request,
                                                      const net::Call& call) {
  PlainGroupRecord record{
      .project = request.project, .zone = request.zone, .resource = request.body};
  InstanceGroup& group = record.resource;
  if (!Catalogue::HasZone(request.zone)) {
    throw Failure(Code::kNotFound, fmt::format("The resource 'projects/{}/zones/{}' was not found",
                                               request.project, request.zone));
  }
  if (!IsResourceName(group.name)) {
    throw Failure(Code::kInvalid,
                  fmt::format("Invalid value for field 'resource.name': '{}'.", group.name));
  }
  Time now = clock_.Now();
  group.id = ids_.NextNumber();
  group.creationTimestamp = FormatTime(now);
  group.zone = ZoneLink(request.project, request.zone);
  group.network = ScopedLink(request.project, "global", "networks",
                             group.network.empty() ? "default" : LastWord(group.network));
  group.selfLink =
      ScopedLink(request.project, "zones/" + request.zone, "instanceGroups", group.name);
  Operation operation = NewOperation(
      ids_, {request.project, "zones/" + request.zone, kKind, record.key(), 1, group.id}, "insert",
      request.requestId, call.caller);
  operation.ended = now;
  return ShowOperation(Update(catalog_, "group insert", [&](Txn& txn) {
    if (auto earlier = FindRetried(txn, operation)) return *earlier;
    RefuseTakenGroup(txn, request.project, request.zone, group.name);
    txn.Put(record.key(), record, 0);
    return Begin(txn, operation, now);
  }));
}

InstanceGroup InstanceGroupsService::Get(const api::compute::GetZonal& request, const net::Call&) {
  Key key = request.project + "/" + request.zone + "/" + request.name;
  return Query(catalog_, [&](Txn& txn) {
    if (auto plain = txn.Find<PlainGroupRecord>(key)) return Show(plain->value);
    auto managed = txn.Find<GroupRecord>(key);
    if (!managed) NoSuchGroup(request.project, request.zone, request.name);
    return GroupSight(txn, managed->value).Group();
  });
}

api::compute::ListOf<InstanceGroup> InstanceGroupsService::List(
    const api::compute::ListZonal& request, const net::Call&) {
  PageRequest wanted(request);
  auto page = Query(catalog_, [&](Txn& txn) {
    return PageOfTable(wanted, AllGroups(txn, request.project + "/" + request.zone + "/"));
  });
  return {.kind = "compute#instanceGroupList",
          .id = fmt::format("projects/{}/zones/{}/instanceGroups", request.project, request.zone),
          .items = page.TakeValues(),
          .nextPageToken = page.next,
          .selfLink = ZoneLink(request.project, request.zone) + "/instanceGroups"};
}

api::compute::AggregatedListOf<api::compute::InstanceGroupsScopedList>
InstanceGroupsService::Aggregate(const api::compute::ListProject& request, const net::Call&) {
  PageRequest wanted(request);
  auto page = Query(catalog_, [&](Txn& txn) {
    return PageOfTable(wanted, AllGroups(txn, request.project + "/"));
  });
  api::compute::AggregatedListOf<api::compute::InstanceGroupsScopedList> reply{
      .kind = "compute#instanceGroupAggregatedList",
      .id = "projects/" + request.project + "/aggregated/instanceGroups",
      .nextPageToken = page.next,
      .selfLink = ProjectLink(request.project) + "/aggregated/instanceGroups"};
  for (auto& [key, group] : page.items) {
    reply.items["zones/" + LastWord(group.zone)].instanceGroups.push_back(std::move(group));
  }
  if (!request.includeAllScopes) return reply;
  for (const std::string& zone : Catalogue::ZoneNames()) {
    auto& scope = reply.items["zones/" + zone];
    if (scope.instanceGroups.empty()) scope.warning = NoResultsIn("zones/" + zone);
  }
  return reply;
}

template <class Request>
api::compute::Operation InstanceGroupsService::Apply(
    const Request& request, const net::Call& call, std::string verb,
    const std::function<void(Txn&, PlainGroupRecord&)>& change) {
  Key key = request.project + "/" + request.zone + "/" + request.name;
  Time now = clock_.Now();
  Operation operation =
      NewOperation(ids_, {request.project, "zones/" + request.zone, kKind, key, 1}, verb,
                   request.requestId, call.caller);
  operation.ended = now;
  return ShowOperation(Update(catalog_, "group " + verb, [&](Txn& txn) {
    if (auto earlier = FindRetried(txn, operation)) return *earlier;
    auto row = txn.Find<PlainGroupRecord>(key);
    if (!row && txn.Find<GroupRecord>(key)) RefuseManaged(request.name);
    if (!row) NoSuchGroup(request.project, request.zone, request.name);
    change(txn, row->value);
    operation.target_id = row->value.resource.id;
    return Begin(txn, operation, now);
  }));
}

api::compute::Operation InstanceGroupsService::Delete(const api::compute::ChangeGroup& request,
                                                      const net::Call& call) {
  return Apply(request, call, "delete",
               [](Txn& txn, PlainGroupRecord& group) { txn.Erase<PlainGroupRecord>(group.key()); });
}

api::compute::Operation InstanceGroupsService::AddInstances(
    const api::compute::ChangeGroupMembers& request, const net::Call& call) {
  return Apply(
      request, call, "compute.instanceGroups.addInstances", [&](Txn& txn, PlainGroupRecord& group) {
        for (const api::compute::GroupedReference& each : request.body.instances) {
          std::string name = LastWord(each.instance);
          FindInstance(txn, request.project, request.zone, name);
          if (std::ranges::find(group.members, name) != group.members.end()) {
            throw Failure(
                Code::kInvalid, "memberAlreadyExists",
                fmt::format("Instance '{}' is already a member of '{}'.", name, request.name));
          }
          group.members.push_back(name);
        }
        txn.Put(group.key(), group);
      });
}

api::compute::Operation InstanceGroupsService::RemoveInstances(
    const api::compute::ChangeGroupMembers& request, const net::Call& call) {
  return Apply(request, call, "compute.instanceGroups.removeInstances",
               [&](Txn& txn, PlainGroupRecord& group) {
                 for (const api::compute::GroupedReference& each : request.body.instances) {
                   std::string name = LastWord(each.instance);
                   if (std::erase(group.members, name) > 0) continue;
                   throw Failure(
                       Code::kInvalid, "memberNotFound",
                       fmt::format("Instance '{}' is not a member of '{}'.", name, request.name));
                 }
                 txn.Put(group.key(), group);
               });
}

api::compute::Operation InstanceGroupsService::SetNamedPorts(
    const api::compute::SetGroupPorts& request, const net::Call& call) {
  Key key = request.project + "/" + request.zone + "/" + request.name;
  Time now = clock_.Now();
  Operation operation =
      NewOperation(ids_, {request.project, "zones/" + request.zone, kKind, key, 1},
                   "compute.instanceGroups.setNamedPorts", request.requestId, call.caller);
  operation.ended = now;
  return ShowOperation(Update(catalog_, "group ports", [&](Txn& txn) {
    if (auto earlier = FindRetried(txn, operation)) return *earlier;
    auto change = [&]<class Record>(std::optional<Row<Record>> row) {
      if (!row) return false;
      CheckFingerprint(request.body.fingerprint, FingerprintOf(row->value.resource.namedPorts),
                       Absent::kAllowed);
      row->value.resource.namedPorts = request.body.namedPorts;
      txn.Put(key, row->value);
      operation.target_id = row->value.resource.id;
      return true;
    };
    bool found = change(txn.Find<PlainGroupRecord>(key)) || change(txn.Find<GroupRecord>(key));
    if (!found) NoSuchGroup(request.project, request.zone, request.name);
    return Begin(txn, operation, now);
  }));
}

api::compute::ListOf<api::compute::GroupedInstance> InstanceGroupsService::ListInstances(
    const api::compute::ListGroupMembers& request, const net::Call&) {
  PageRequest wanted(request);
  Key key = request.project + "/" + request.zone + "/" + request.name;
  auto page = Query(catalog_, [&](Txn& txn) {
    std::vector<std::string> names;
    if (auto plain = txn.Find<PlainGroupRecord>(key)) {
      names = plain->value.members;
    } else if (auto managed = txn.Find<GroupRecord>(key)) {
      for (const GroupMember& member : managed->value.members) names.push_back(member.name);
    } else {
      NoSuchGroup(request.project, request.zone, request.name);
    }
    std::map<Key, api::compute::GroupedInstance> shown;
    for (const std::string& name : names) {
      auto row = txn.Find<InstanceRecord>(request.project + "/" + request.zone + "/" + name);
      if (!row) continue;
      std::string status(EnumName(row->value.resource.status));
      if (request.body.instanceState == "RUNNING" && status != "RUNNING") continue;
      shown[name] = {.instance = row->value.resource.selfLink, .status = status, .namedPorts = {}};
    }
    return PageOfTable(wanted, std::vector<std::pair<Key, api::compute::GroupedInstance>>(
                                   shown.begin(), shown.end()));
  });
  return {.kind = "compute#instanceGroupsListInstances",
          .id = fmt::format("projects/{}/zones/{}/instanceGroups/{}", request.project, request.zone,
                            request.name),
          .items = page.TakeValues(),
          .nextPageToken = page.next,
          .selfLink =
              ScopedLink(request.project, "zones/" + request.zone, "instanceGroups", request.name) +
              "/listInstances"};
}

api::compute::ListOf<api::compute::Autoscaler> InstanceGroupsService::ListAutoscalers(
    const api::compute::ListZonal& request, const net::Call&) {
  return {.kind = "compute#autoscalerList",
          .id = fmt::format("projects/{}/zones/{}/autoscalers", request.project, request.zone),
          .items = {},
          .nextPageToken = "",
          .selfLink = ZoneLink(request.project, request.zone) + "/autoscalers"};
}

api::compute::AggregatedListOf<api::compute::AutoscalersScopedList>
InstanceGroupsService::AggregateAutoscalers(const api::compute::ListProject& request,
                                            const net::Call&) {
  return {.kind = "compute#autoscalerAggregatedList",
          .id = "projects/" + request.project + "/aggregated/autoscalers",
          .items = {},
          .nextPageToken = "",
          .selfLink = ProjectLink(request.project) + "/aggregated/autoscalers"};
}

}  // namespace fireweed::compute
