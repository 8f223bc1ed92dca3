#include "compute/disks_service.h"

#include <utility>

#include <fmt/format.h>

#include "compute/catalogue.h"
#include "compute/disks.h"
#include "compute/fingerprint.h"
#include "compute/hidden.h"
#include "compute/images.h"
#include "compute/labels.h"
#include "compute/links.h"
#include "compute/operations_service.h"
#include "compute/paging.h"
#include "compute/refusals.h"

namespace fireweed::compute {
namespace {

namespace c = api::compute;

constexpr std::string_view kKind = kRecordKind<DiskRecord>;

// What a list with this filter shows of a record.
auto ShownIn(const std::string& filter) {
  return [all = AsksForHidden(filter)](const DiskRecord& disk) -> std::optional<c::Disk> {
    if (!all && IsHidden(disk.resource.labels)) return std::nullopt;
    return disk.resource;
  };
}

}  // namespace

void DisksService::Serve(net::Router& router) {
  using Self = DisksService;
  router.On(c::kListDisks, this, &Self::List);
  router.On(c::kAggregateDisks, this, &Self::Aggregate);
  router.On(c::kGetDisk, this, &Self::Get);
  router.On(c::kInsertDisk, this, &Self::Insert);
  router.On(c::kDeleteDisk, this, &Self::Delete);
  router.On(c::kResizeDisk, this, &Self::Resize);
  router.On(c::kSetDiskLabels, this, &Self::SetLabels);
  router.On(c::kCreateSnapshot, this, &Self::CreateSnapshot);
}

c::ListOf<c::Disk> DisksService::List(const c::ListZonal& request, const net::Call&) {
  RequireZone(request.project, request.zone);
  PageRequest wanted(request);
  auto page = Query(catalog_, [&](Txn& txn) {
    std::string prefix = request.project + "/" + request.zone + "/";
    return PageOfRows<DiskRecord, c::Disk>(txn, prefix, wanted, ShownIn(request.filter));
  });
  return {.kind = "compute#diskList",
          .id = "projects/" + request.project + "/zones/" + request.zone + "/disks",
          .items = page.TakeValues(),
          .nextPageToken = page.next,
          .selfLink = ZoneLink(request.project, request.zone) + "/disks"};
}

c::AggregatedListOf<c::DisksScopedList> DisksService::Aggregate(const c::ListProject& request,
                                                                const net::Call&) {
  PageRequest wanted(request);
  auto page = Query(catalog_, [&](Txn& txn) {
    return PageOfRows<DiskRecord, c::Disk>(txn, request.project + "/", wanted,
                                           ShownIn(request.filter));
  });
  c::AggregatedListOf<c::DisksScopedList> reply{
      .kind = "compute#diskAggregatedList",
      .id = "projects/" + request.project + "/aggregated/disks",
      .nextPageToken = page.next,
      .selfLink = ProjectLink(request.project) + "/aggregated/disks"};
  for (auto& [key, disk] : page.items) {
    reply.items["zones/" + LastWord(disk.zone)].disks.push_back(std::move(disk));
  }
  if (!request.includeAllScopes) return reply;
  for (const std::string& zone : Catalogue::ZoneNames()) {
    c::DisksScopedList& scope = reply.items["zones/" + zone];
    if (scope.disks.empty()) scope.warning = NoResultsIn("zones/" + zone);
  }
  return reply;
}

c::Disk DisksService::Get(const c::GetZonal& request, const net::Call&) {
  return Query(catalog_, [&](Txn& txn) {
    return FindDisk(txn, request.project, request.zone, request.name).resource;
  });
}

c::Operation DisksService::Insert(const c::InsertDisk& request, const net::Call& call) {
  const c::Disk& body = request.body;
  RequireZone(request.project, request.zone);
  CheckLabels(body.labels);
  if (!body.sourceSnapshot.empty()) {
    Missing(request.project, "global/snapshots/" + LastWord(body.sourceSnapshot));
  }
  if (!body.sourceDisk.empty()) {
    InvalidField(
        "resource.sourceDisk", body.sourceDisk,
        "Disks are not cloned directly: make an image of the disk, and the disk from that.");
  }
  DiskWish wish{.project = request.project,
                .zone = request.zone,
                .name = body.name,
                .description = body.description,
                .type = body.type,
                .source_image = body.sourceImage.empty() ? request.sourceImage : body.sourceImage,
                .size_gb = body.sizeGb,
                .labels = body.labels};
  RequireImageUse(access_, call.caller, wish.source_image, request.project);
  identity_.EnsureProject(request.project, call.caller);
  Key key = request.project + "/" + request.zone + "/" + body.name;
  int64_t id = ids_.NextNumber();
  Operation operation =
      NewOperation(ids_, {request.project, "zones/" + request.zone, kKind, key, 0, id}, "insert",
                   request.requestId, call.caller);
  Time now = clock_.Now();
  return ShowOperation(Update(catalog_, "disk insert", [&](Txn& txn) {
    if (auto earlier = FindRetried(txn, operation)) return *earlier;
    DiskRecord record = MakeDisk(txn, wish, id, now);
    record.creator = call.caller.email;
    Operation fresh = operation;
    SetWarnings(fresh, ImageWarnings(txn, wish.source_image, request.project, strict_));
    fresh.ended = now;
    if (std::optional<Error> over = OverQuota(txn, record, 0, catalogue_, quotas_)) {
      fresh.error = OperationError::From(*over);
    } else {
      txn.Put(key, record, 0);
    }
    return Begin(txn, fresh, now);
  }));
}

template <class Request>
c::Operation DisksService::Apply(const Request& request, const net::Call& call,
                                 const std::string& verb, const Change& change) {
  Key key = request.project + "/" + request.zone + "/" + request.name;
  Operation operation =
      NewOperation(ids_, {request.project, "zones/" + request.zone, kKind, key, 0}, verb,
                   request.requestId, call.caller);
  Time now = clock_.Now();
  return ShowOperation(Update(catalog_, "disk " + verb, [&](Txn& txn) {
    if (auto earlier = FindRetried(txn, operation)) return *earlier;
    DiskRecord record = FindDisk(txn, request.project, request.zone, request.name);
    Operation fresh = operation;
    fresh.ended = now;
    fresh.target_id = record.resource.id;
    if (std::optional<Error> refused = change(txn, record)) {
      fresh.error = OperationError::From(*refused);
    }
    return Begin(txn, fresh, now);
  }));
}

c::Operation DisksService::Delete(const c::ChangeZonal& request, const net::Call& call) {
  return Apply(request, call, "delete", [&](Txn& txn, DiskRecord& record) {
    if (!record.resource.users.empty()) {
      InUse("disk", record.resource.selfLink, record.resource.users.front());
    }
    txn.Erase<DiskRecord>(record.key());
    return std::nullopt;
  });
}

c::Operation DisksService::Resize(const c::EditZonal<c::ResizeBody>& request,
                                  const net::Call& call) {
  return Apply(request, call, "resize", [&](Txn& txn, DiskRecord& record) {
    if (request.body.sizeGb <= record.resource.sizeGb) {
      InvalidField("sizeGb", std::to_string(request.body.sizeGb),
                   fmt::format("New disk size must be larger than the present one ({} GB).",
                               record.resource.sizeGb));
    }
    int64_t before = std::exchange(record.resource.sizeGb, request.body.sizeGb);
    std::optional<Error> over = OverQuota(txn, record, before, catalogue_, quotas_);
    if (!over) txn.Put(record.key(), record);
    return over;
  });
}

c::Operation DisksService::SetLabels(const c::EditZonal<c::LabelsBody>& request,
                                     const net::Call& call) {
  return Apply(request, call, "setLabels", [&](Txn& txn, DiskRecord& record) {
    CheckFingerprint(request.body.labelFingerprint, record.resource.labelFingerprint,
                     Absent::kRefused);
    CheckLabels(request.body.labels, record.resource.labels);
    record.resource.labels = request.body.labels;
    record.resource.labelFingerprint = FingerprintOf(request.body.labels);
    txn.Put(record.key(), record);
    return std::nullopt;
  });
}

c::Operation DisksService::CreateSnapshot(const c::EditZonal<c::Snapshot>& request,
                                          const net::Call& call) {
  Get({request.project, request.zone, request.name}, call);
  throw Failure(Code::kInvalid, "unsupportedOperation",
                "Snapshots are not supported here. An image of the disk does the same: images "
                "create --source-disk.");
}

}  // namespace fireweed::compute
