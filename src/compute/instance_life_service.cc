#include "compute/instance_life_service.h"

#include <fmt/format.h>

#include "compute/instance_plan.h"
#include "compute/operations_service.h"

namespace fireweed::compute {
namespace {

using api::compute::ChangeInstance;
using api::compute::InstanceStatus;

void RequireRunning(const InstanceRecord& record) {
  RefuseDoomed(record);
  bool runs = record.want == InstanceWant::kRunning &&
              record.resource.status == InstanceStatus::kRunning && !record.frozen;
  if (!runs) RefuseUnready(record);
}

}  // namespace

void InstanceLifeService::Serve(net::Router& router) {
  using Self = InstanceLifeService;
  namespace c = api::compute;
  router.On(c::kSuspendInstance, this, &Self::Suspend);
  router.On(c::kResumeInstance, this, &Self::Resume);
  router.On(c::kSimulateMaintenance, this, &Self::SimulateMaintenance);
  router.On(c::kPreemptInstance, this, &Self::Preempt);
}

api::compute::Operation InstanceLifeService::Apply(const ChangeInstance& request,
                                                   const net::Call& call, std::string verb,
                                                   const InstanceChange& change,
                                                   InstanceLimit limit) {
  return ChangeStoredInstance(catalog_, ids_, clock_.Now(), call.caller,
                              {request.project, request.zone, request.name, request.requestId,
                               std::move(verb), std::move(limit)},
                              change);
}

api::compute::Operation InstanceLifeService::Suspend(const ChangeInstance& request,
                                                     const net::Call& call) {
  return Apply(request, call, "suspend", [](InstanceRecord& record) {
    if (record.want == InstanceWant::kSuspended) return record.reached < record.generation;
    RequireRunning(record);
    if (record.notice) RefuseUnready(record);
    Wish(record, InstanceWant::kSuspended);
    return true;
  });
}

api::compute::Operation InstanceLifeService::Resume(const ChangeInstance& request,
                                                    const net::Call& call) {
  auto resume = [](InstanceRecord& record) {
    RefuseDoomed(record);
    if (record.want == InstanceWant::kRunning && record.frozen) return true;
    if (record.want != InstanceWant::kSuspended) {
      throw Failure(
          Code::kInvalid,
          fmt::format("Instance {} is not suspended: only a suspended instance can be resumed.",
                      record.resource.name));
    }
    Wish(record, InstanceWant::kRunning);
    return true;
  };
  return Apply(request, call, "resume", resume,
               [&](Txn& txn, const InstanceRecord& before, const InstanceRecord& after) {
                 return OverQuota(txn, before, after, catalogue_, quotas_);
               });
}

api::compute::Operation InstanceLifeService::Announce(
    const ChangeInstance& request, const net::Call& call, std::string verb,
    const std::function<NoticeCause(const InstanceRecord&)>& cause) {
  Key key = request.project + "/" + request.zone + "/" + request.name;
  Time now = clock_.Now();
  Operation asked = NewOperation(
      ids_, {request.project, "zones/" + request.zone, kRecordKind<InstanceRecord>, key, 0},
      std::move(verb), request.requestId, call.caller);
  Operation begun = Update(catalog_, "instance notice", [&](Txn& txn) {
    if (auto earlier = FindRetried(txn, asked)) return *earlier;
    InstanceRecord record = FindInstance(txn, request.project, request.zone, request.name);
    RequireRunning(record);
    if (record.notice) RefuseUnready(record);
    NoticeCause what = cause(record);
    AnnounceNotice(record, what, now);
    txn.Put(key, record);
    Begin(txn, SystemOperation(ids_, record, std::string(NoticeVerb(what))), now);
    Operation fresh = asked;
    fresh.target_version = record.generation;
    fresh.target_id = record.resource.id;
    fresh.ended = now;
    return Begin(txn, fresh, now);
  });
  return ShowOperation(begun);
}

api::compute::Operation InstanceLifeService::SimulateMaintenance(const ChangeInstance& request,
                                                                 const net::Call& call) {
  return Announce(request, call, "simulateMaintenanceEvent", [](const InstanceRecord& record) {
    return MaintenanceCause(record.resource.scheduling);
  });
}

api::compute::Operation InstanceLifeService::Preempt(const ChangeInstance& request,
                                                     const net::Call& call) {
  return Announce(request, call, "preempt", [](const InstanceRecord& record) {
    if (!IsPreemptible(record.resource.scheduling)) {
      throw Failure(Code::kInvalid, fmt::format("Instance {} is neither preemptible nor a Spot VM.",
                                                record.resource.name));
    }
    return NoticeCause::kPreemption;
  });
}

}  // namespace fireweed::compute
