#include "compute/operations_service.h"

#include <algorithm>
#include <charconv>
#include <map>

#include <fmt/format.h>

#include "compute/bulk_record.h"
#include "compute/group_records.h"
#include "compute/links.h"
#include "compute/network_records.h"
#include "compute/paging.h"
#include "compute/records.h"
#include "net/errors.h"

namespace fireweed::compute {
namespace {

// The documented limit of a wait; clients come again.
constexpr int64_t kLongestWaitMs = 2 * 60 * 1000;
constexpr std::string_view kNamePrefix = "operation-";

// "projects/P" for a project's own row, the resource's link for everything else.
std::string TargetLink(const Operation& operation, std::string_view project,
                       std::string_view scope) {
  if (operation.target_kind == kRecordKind<ProjectRecord>) return ProjectLink(project);
  if (operation.target_kind == kRecordKind<BulkRecord>) {
    return fmt::format("{}/{}", ProjectLink(project), scope);
  }
  std::string_view collection;
  static constexpr std::pair<std::string_view, std::string_view> kCollections[] = {
      {kRecordKind<InstanceRecord>, "instances"},
      {kRecordKind<DiskRecord>, "disks"},
      {kRecordKind<TemplateRecord>, "instanceTemplates"},
      {kRecordKind<GroupRecord>, "instanceGroupManagers"},
      {kRecordKind<PlainGroupRecord>, "instanceGroups"},
      {kRecordKind<ImageRecord>, "images"},
      {kRecordKind<NetworkRecord>, "networks"},
      {kRecordKind<SubnetworkRecord>, "subnetworks"},
      {kRecordKind<FirewallRecord>, "firewalls"},
      {kRecordKind<RouteRecord>, "routes"},
      {kRecordKind<AddressRecord>, "addresses"}};
  for (const auto& [kind, name] : kCollections) {
    if (kind == operation.target_kind) collection = name;
  }
  return ScopedLink(project, scope, collection, LastWord(operation.target));
}

int64_t NumberIn(std::string_view name) {
  int64_t number = 0;
  name.remove_prefix(std::min(name.size(), kNamePrefix.size()));
  std::from_chars(name.data(), name.data() + name.size(), number);
  return number;
}

std::string ErrorWord(const OperationError& error) {
  if (!error.reason.empty()) return error.reason;
  return std::string(net::WordsFor(error.ToError().code).canonical);
}

net::Response AsResponse(const Operation& operation) {
  return net::JsonResponse(200, EncodeJson(ShowOperation(operation), Audience::kWire));
}

}  // namespace

api::compute::Operation ShowOperation(const Operation& operation) {
  size_t slash = operation.scope.find('/');
  std::string project = operation.scope.substr(0, slash);
  std::string scope = operation.scope.substr(slash + 1);
  api::compute::Operation shown{.id = NumberIn(operation.id),
                                .name = operation.id,
                                .clientOperationId = operation.request_id,
                                .operationGroupId = operation.group,
                                .operationType = operation.verb,
                                .targetLink = TargetLink(operation, project, scope),
                                .targetId = operation.target_id,
                                .user = operation.user,
                                .progress = operation.progress,
                                .insertTime = FormatTime(operation.started),
                                .startTime = FormatTime(operation.started),
                                .selfLink = ScopedLink(project, scope, "operations", operation.id)};
  if (scope.starts_with("zones/")) shown.zone = ZoneLink(project, scope.substr(6));
  if (scope.starts_with("regions/")) shown.region = RegionLink(project, scope.substr(8));
  for (const OperationWarning& warning : operation.warnings) {
    shown.warnings.push_back({.code = warning.code, .message = warning.message});
  }
  if (!operation.ended) return shown;
  shown.status = api::compute::OperationStatus::kDone;
  shown.progress = 100;
  shown.endTime = FormatTime(*operation.ended);
  if (operation.error) {
    const net::ErrorWords& words = net::WordsFor(operation.error->ToError().code);
    shown.error.emplace().errors.push_back(
        {.code = ErrorWord(*operation.error), .message = operation.error->message});
    shown.httpErrorStatusCode = words.status;
    shown.httpErrorMessage = std::string(words.canonical);
  }
  return shown;
}

void SetWarnings(Operation& operation, const std::vector<std::string>& warnings) {
  operation.warnings.clear();
  for (const std::string& warning : warnings) {
    operation.warnings.push_back({"RESOURCE_CLIPPED", warning});
  }
}

Operation NewOperation(IdSource& ids, const OperationTarget& target, std::string verb,
                       std::string request_id, const net::Caller& caller) {
  return {.scope = target.project + "/" + target.scope,
          .id = fmt::format("{}{}", kNamePrefix, ids.NextNumber()),
          .verb = std::move(verb),
          .target_kind = std::string(target.kind),
          .target = target.key,
          .target_version = target.version,
          .target_id = target.id,
          .user = caller.email,
          .request_id = std::move(request_id)};
}

Operation SystemOperation(IdSource& ids, const InstanceRecord& record, std::string verb) {
  net::Caller system;
  system.email = "system";
  return NewOperation(ids,
                      {record.project, "zones/" + record.zone, kRecordKind<InstanceRecord>,
                       record.key(), record.generation, record.resource.id},
                      std::move(verb), "", system);
}

void OperationsService::Serve(net::Router& router) {
  using Self = OperationsService;
  namespace c = api::compute;
  router.On(c::kGetZoneOperation, this, &Self::GetZone);
  router.On(c::kGetRegionOperation, this, &Self::GetRegion);
  router.On(c::kGetGlobalOperation, this, &Self::GetGlobal);
  router.On(c::kWaitZoneOperation, this, &Self::WaitZone);
  router.On(c::kWaitRegionOperation, this, &Self::WaitRegion);
  router.On(c::kWaitGlobalOperation, this, &Self::WaitGlobal);
  router.On(c::kListZoneOperations, this, &Self::ListZone);
  router.On(c::kListRegionOperations, this, &Self::ListRegion);
  router.On(c::kListGlobalOperations, this, &Self::ListGlobal);
  router.On(c::kAggregateOperations, this, &Self::Aggregate);
}

Operation OperationsService::Find(const std::string& project, const std::string& scope,
                                  const std::string& name) {
  Key key = project + "/" + scope + "/" + name;
  auto row = Query(catalog_, [&](Txn& txn) { return txn.Find<Operation>(key); });
  if (!row) {
    throw Failure(Code::kNotFound,
                  fmt::format("The resource 'projects/{}/{}/operations/{}' was not found", project,
                              scope, name));
  }
  return std::move(row->value);
}

net::Answer OperationsService::Wait(const std::string& project, const std::string& scope,
                                    const std::string& name) {
  Operation operation = Find(project, scope, name);
  if (operation.ended) return AsResponse(operation);
  auto deferred = std::make_shared<net::Deferred>();
  deferred->timeout_ms = kLongestWaitMs;
  auto answer = [this, project, scope, name] {
    try {
      return AsResponse(Find(project, scope, name));
    } catch (const Failure& failure) {
      return net::JsonError(failure.error());
    }
  };
  OperationWaiters::Ticket ticket =
      waiters_.When(operation.key(), [deferred, answer] { deferred->Complete(answer()); });
  deferred->on_timeout = [this, ticket, answer] {
    waiters_.Forget(ticket);
    return answer();
  };
  return deferred;
}

api::compute::Operation OperationsService::GetZone(const api::compute::GetZonal& request,
                                                   const net::Call&) {
  return ShowOperation(Find(request.project, "zones/" + request.zone, request.name));
}
api::compute::Operation OperationsService::GetRegion(const api::compute::GetRegional& request,
                                                     const net::Call&) {
  return ShowOperation(Find(request.project, "regions/" + request.region, request.name));
}
api::compute::Operation OperationsService::GetGlobal(const api::compute::GetGlobal& request,
                                                     const net::Call&) {
  return ShowOperation(Find(request.project, "global", request.name));
}
net::Answer OperationsService::WaitZone(const api::compute::GetZonal& request, const net::Call&) {
  return Wait(request.project, "zones/" + request.zone, request.name);
}
net::Answer OperationsService::WaitRegion(const api::compute::GetRegional& request,
                                          const net::Call&) {
  return Wait(request.project, "regions/" + request.region, request.name);
}
net::Answer OperationsService::WaitGlobal(const api::compute::GetGlobal& request,
                                          const net::Call&) {
  return Wait(request.project, "global", request.name);
}

template <class List>
api::compute::ListOf<api::compute::Operation> OperationsService::ListScope(
    const List& request, const std::string& scope) {
  PageRequest wanted(request);
  auto page = Query(catalog_, [&](Txn& txn) {
    return PageOfRows<Operation, api::compute::Operation>(txn, request.project + "/" + scope + "/",
                                                          wanted, &ShowOperation);
  });
  return {.kind = "compute#operationList",
          .id = "projects/" + request.project + "/" + scope + "/operations",
          .items = page.TakeValues(),
          .nextPageToken = page.next,
          .selfLink = ProjectLink(request.project) + "/" + scope + "/operations"};
}

api::compute::ListOf<api::compute::Operation> OperationsService::ListZone(
    const api::compute::ListZonal& request, const net::Call&) {
  return ListScope(request, "zones/" + request.zone);
}
api::compute::ListOf<api::compute::Operation> OperationsService::ListRegion(
    const api::compute::ListRegional& request, const net::Call&) {
  return ListScope(request, "regions/" + request.region);
}
api::compute::ListOf<api::compute::Operation> OperationsService::ListGlobal(
    const api::compute::ListProject& request, const net::Call&) {
  return ListScope(request, "global");
}

api::compute::AggregatedListOf<api::compute::OperationsScopedList> OperationsService::Aggregate(
    const api::compute::ListProject& request, const net::Call&) {
  PageRequest wanted(request);
  auto page = Query(catalog_, [&](Txn& txn) {
    return PageOfRows<Operation, api::compute::Operation>(txn, request.project + "/", wanted,
                                                          &ShowOperation);
  });
  api::compute::AggregatedListOf<api::compute::OperationsScopedList> reply{
      .kind = "compute#operationAggregatedList",
      .id = "projects/" + request.project + "/aggregated/operations",
      .nextPageToken = page.next,
      .selfLink = ProjectLink(request.project) + "/aggregated/operations"};
  for (auto& [key, operation] : page.items) {
    size_t begin = key.find('/') + 1, end = key.rfind('/');
    reply.items[key.substr(begin, end - begin)].operations.push_back(std::move(operation));
  }
  return reply;
}

}  // namespace fireweed::compute
