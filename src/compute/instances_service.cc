#include "compute/instances_service.h"

#include <fmt/format.h>

#include "compute/fingerprint.h"
#include "compute/hidden.h"
#include "compute/images.h"
#include "compute/insert_instance.h"
#include "compute/instance_change.h"
#include "compute/instance_machine.h"
#include "compute/instance_request.h"
#include "compute/instance_templates.h"
#include "compute/labels.h"
#include "compute/links.h"
#include "compute/metadata_items.h"
#include "compute/operations_service.h"
#include "compute/paging.h"
#include "compute/serial_port.h"
#include "net/google_connect_policy.h"

namespace fireweed::compute {
namespace {

using api::compute::Instance;

constexpr std::string_view kKind = kRecordKind<InstanceRecord>;

// External addresses are on a bridge of this host. A client on another machine cannot reach them: shown none, gcloud
// goes through a tunnel by itself.
Instance ShownTo(bool another_machine, Instance instance) {
  if (!another_machine) return instance;
  for (api::compute::NetworkInterface& nic : instance.networkInterfaces) {
    for (api::compute::AccessConfig& access : nic.accessConfigs) access.natIP.clear();
  }
  return instance;
}

// What a list with this filter shows of a record.
auto ShownIn(const std::string& filter, const net::Request& request) {
  return [all = AsksForHidden(filter), far = net::IsFromAnotherMachine(request)](
             const InstanceRecord& record) -> std::optional<Instance> {
    if (!all && IsHidden(record.resource.labels)) return std::nullopt;
    return ShownTo(far, record.resource);
  };
}

}  // namespace

void InstancesService::Serve(net::Router& router) {
  using Self = InstancesService;
  namespace c = api::compute;
  router.On(c::kInsertInstance, this, &Self::Insert);
  router.On(c::kGetInstance, this, &Self::Get);
  router.On(c::kListInstances, this, &Self::List);
  router.On(c::kAggregateInstances, this, &Self::Aggregate);
  router.On(c::kDeleteInstance, this, &Self::Delete);
  router.On(c::kStartInstance, this, &Self::Start);
  router.On(c::kStopInstance, this, &Self::Stop);
  router.On(c::kResetInstance, this, &Self::Reset);
  router.On(c::kSetInstanceMetadata, this, &Self::SetMetadata);
  router.On(c::kSetInstanceLabels, this, &Self::SetLabels);
  router.On(c::kSetInstanceTags, this, &Self::SetTags);
  router.On(c::kGetSerialPort, this, &Self::SerialPort);
  // Guests know their project by its number: the metadata server names zones with it.
  router.Settle(api::compute::kCompute, "project",
                [this](const std::string& name) { return identity_.ProjectId(name); });
  router.Alias("/compute/beta/", "/compute/v1/");
  router.Alias("/compute/alpha/", "/compute/v1/");
}

api::compute::Operation InstancesService::Insert(const api::compute::InsertInstance& given,
                                                 const net::Call& call) {
  const api::compute::InsertInstance request = WithTemplate(catalog_, given);
  CheckLabelsAndTags(request.body);
  InsertContext context{
      .catalogue = catalogue_,
      .default_account = identity_.EnsureProject(request.project, call.caller).default_account,
      .id = ids_.NextNumber(),
      .now = clock_.Now(),
      .strict = rules_.strict};
  for (const api::compute::InstanceServiceAccount& account : request.body.serviceAccounts) {
    RequireAccount({access_, identity_}, call.caller, request.project, account.email);
  }
  for (const api::compute::AttachedDisk& disk : request.body.disks) {
    if (!disk.initializeParams) continue;
    RequireImageUse(access_, call.caller, disk.initializeParams->sourceImage, request.project);
  }
  Key key = request.project + "/" + request.zone + "/" + request.body.name;
  Operation operation =
      NewOperation(ids_, {request.project, "zones/" + request.zone, kKind, key, 1, context.id},
                   "insert", request.requestId, call.caller);
  Operation begun = Update(catalog_, "instance insert", [&](Txn& txn) {
    if (auto earlier = FindRetried(txn, operation)) return *earlier;
    QuotaLedger ledger(txn, catalogue_, rules_.quotas);
    Result<InstanceRecord> record = InsertInstance(
        txn,
        {.request = request, .context = context, .ledger = &ledger, .creator = call.caller.email},
        ids_);
    Operation fresh = operation;
    if (!record.ok()) {
      fresh.ended = context.now;
      fresh.error = OperationError::From(record.error());
      return Begin(txn, fresh, context.now);
    }
    SetWarnings(fresh, record->warnings);
    return Begin(txn, fresh, context.now);
  });
  return ShowOperation(begun);
}

Instance InstancesService::Get(const api::compute::GetZonal& request, const net::Call& call) {
  InstanceRecord record = Query(catalog_, [&](Txn& txn) {
    return FindInstance(txn, request.project, request.zone, request.name);
  });
  return ShownTo(net::IsFromAnotherMachine(call.http), std::move(record.resource));
}

api::compute::ListOf<Instance> InstancesService::List(const api::compute::ListZonal& request,
                                                      const net::Call& call) {
  if (!Catalogue::HasZone(request.zone)) {
    throw Failure(Code::kNotFound, fmt::format("The resource 'projects/{}/zones/{}' was not found",
                                               request.project, request.zone));
  }
  PageRequest wanted(request);
  auto shown = ShownIn(request.filter, call.http);
  auto page = Query(catalog_, [&](Txn& txn) {
    return PageOfRows<InstanceRecord, Instance>(txn, request.project + "/" + request.zone + "/",
                                                wanted, shown);
  });
  return {.kind = "compute#instanceList",
          .id = "projects/" + request.project + "/zones/" + request.zone + "/instances",
          .items = page.TakeValues(),
          .nextPageToken = page.next,
          .selfLink = ZoneLink(request.project, request.zone) + "/instances"};
}

api::compute::AggregatedListOf<api::compute::InstancesScopedList> InstancesService::Aggregate(
    const api::compute::ListProject& request, const net::Call& call) {
  PageRequest wanted(request);
  auto shown = ShownIn(request.filter, call.http);
  auto page = Query(catalog_, [&](Txn& txn) {
    return PageOfRows<InstanceRecord, Instance>(txn, request.project + "/", wanted, shown);
  });
  api::compute::AggregatedListOf<api::compute::InstancesScopedList> reply{
      .kind = "compute#instanceAggregatedList",
      .id = "projects/" + request.project + "/aggregated/instances",
      .nextPageToken = page.next,
      .selfLink = ProjectLink(request.project) + "/aggregated/instances"};
  for (auto& [key, instance] : page.items) {
    reply.items["zones/" + LastWord(instance.zone)].instances.push_back(std::move(instance));
  }
  if (!request.includeAllScopes) return reply;
  for (const std::string& zone : Catalogue::ZoneNames()) {
    api::compute::InstancesScopedList& scope = reply.items["zones/" + zone];
    if (scope.instances.empty()) scope.warning = NoResultsIn("zones/" + zone);
  }
  return reply;
}

template <class Request>
api::compute::Operation InstancesService::Apply(const Request& request, const net::Call& call,
                                                std::string verb, const InstanceChange& change,
                                                InstanceLimit limit) {
  return ChangeStoredInstance(catalog_, ids_, clock_.Now(), call.caller,
                              {request.project, request.zone, request.name, request.requestId,
                               std::move(verb), std::move(limit)},
                              change);
}

api::compute::Operation InstancesService::Delete(const api::compute::ChangeInstance& request,
                                                 const net::Call& call) {
  return Apply(request, call, "delete", [](InstanceRecord& record) {
    if (record.resource.deletionProtection) {
      throw Failure(Code::kInvalid, "resourceInUseByAnotherResource",
                    fmt::format("Invalid resource usage: 'Resource cannot be deleted if it's "
                                "protected against deletion. {}'.",
                                record.resource.selfLink));
    }
    Wish(record, InstanceWant::kGone);
    return true;
  });
}

api::compute::Operation InstancesService::Start(const api::compute::ChangeInstance& request,
                                                const net::Call& call) {
  auto start = [](InstanceRecord& record) {
    RefuseDoomed(record);
    if (record.want == InstanceWant::kRunning) return record.reached < record.generation;
    if (record.want == InstanceWant::kSuspended) RefuseUnready(record);
    Wish(record, InstanceWant::kRunning);
    // A machine on its way down has to end before it boots again; the plan sees to it.
    record.wanted_boot = record.boot + 1;
    return true;
  };
  return Apply(request, call, "start", start,
               [&](Txn& txn, const InstanceRecord& before, const InstanceRecord& after) {
                 return OverQuota(txn, before, after, catalogue_, rules_.quotas);
               });
}

api::compute::Operation InstancesService::Stop(const api::compute::ChangeInstance& request,
                                               const net::Call& call) {
  return Apply(request, call, "stop", [](InstanceRecord& record) {
    RefuseDoomed(record);
    if (record.want == InstanceWant::kStopped) return record.reached < record.generation;
    Wish(record, InstanceWant::kStopped);
    return true;
  });
}

api::compute::Operation InstancesService::Reset(const api::compute::ChangeInstance& request,
                                                const net::Call& call) {
  return Apply(request, call, "reset", [](InstanceRecord& record) {
    RefuseDoomed(record);
    if (record.resource.status != api::compute::InstanceStatus::kRunning) {
      RefuseUnready(record);
    }
    Wish(record, InstanceWant::kRunning);
    record.wanted_boot = record.boot + 1;
    record.stop_sent = false;
    return true;
  });
}

api::compute::Operation InstancesService::SetMetadata(
    const api::compute::SetInstanceMetadata& request, const net::Call& call) {
  CheckMetadata(request.body);
  return Apply(request, call, "setMetadata", [&](InstanceRecord& record) {
    RefuseDoomed(record);
    CheckFingerprint(request.body.fingerprint, record.resource.metadata.fingerprint,
                     Absent::kRefused);
    record.resource.metadata.items = request.body.items;
    SealMetadata(record.resource.metadata);
    return false;
  });
}

api::compute::Operation InstancesService::SetLabels(const api::compute::SetInstanceLabels& request,
                                                    const net::Call& call) {
  return Apply(request, call, "setLabels", [&](InstanceRecord& record) {
    RefuseDoomed(record);
    CheckFingerprint(request.body.labelFingerprint, record.resource.labelFingerprint,
                     Absent::kRefused);
    CheckLabels(request.body.labels, record.resource.labels);
    record.resource.labels = request.body.labels;
    record.resource.labelFingerprint = FingerprintOf(record.resource.labels);
    return false;
  });
}

api::compute::Operation InstancesService::SetTags(const api::compute::SetInstanceTags& request,
                                                  const net::Call& call) {
  CheckTags(request.body.items);
  return Apply(request, call, "setTags", [&](InstanceRecord& record) {
    RefuseDoomed(record);
    CheckFingerprint(request.body.fingerprint, record.resource.tags.fingerprint, Absent::kRefused);
    record.resource.tags.items = request.body.items;
    record.resource.tags.fingerprint = FingerprintOf(record.resource.tags.items);
    return false;
  });
}

api::compute::SerialPortOutput InstancesService::SerialPort(
    const api::compute::GetSerialPort& request, const net::Call&) {
  if (request.port < 1 || request.port > 4) {
    throw Failure(Code::kInvalid, fmt::format("Invalid value for field 'port': '{}'. Must be "
                                              "between 1 and 4.",
                                              request.port));
  }
  InstanceRecord record = Query(catalog_, [&](Txn& txn) {
    return FindInstance(txn, request.project, request.zone, request.name);
  });
  api::compute::SerialPortOutput output;
  // Only the first port has anything connected to it.
  if (request.port == 1) {
    output = ReadSerialPort(ConsolePath(rules_.console_directory, record), request.start);
  }
  output.selfLink = record.resource.selfLink + "/serialPort";
  return output;
}

}  // namespace fireweed::compute
