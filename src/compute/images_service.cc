#include "compute/images_service.h"

#include <fmt/format.h>

#include "compute/disks.h"
#include "compute/fingerprint.h"
#include "compute/images.h"
#include "compute/labels.h"
#include "compute/links.h"
#include "compute/operations_service.h"
#include "compute/paging.h"
#include "compute/raw_source.h"
#include "compute/refusals.h"
#include "identity/policies.h"

namespace fireweed::compute {
namespace {

namespace c = api::compute;

constexpr std::string_view kKind = kRecordKind<ImageRecord>;

std::string PolicyResource(const std::string& project, const std::string& image) {
  return "projects/" + project + "/global/images/" + image;
}

// From another image: its layers, nothing to move.
void TakeImage(Txn& txn, ImageRecord& record) {
  ImageRecord source = ResolveUsableImage(txn, record.resource.sourceImage, record.project);
  c::Image& image = record.resource;
  image.sourceImage = source.resource.selfLink;
  image.sourceImageId = std::to_string(source.resource.id);
  image.diskSizeGb = std::max(image.diskSizeGb, source.resource.diskSizeGb);
  image.archiveSizeBytes = source.resource.archiveSizeBytes;
  if (image.architecture.empty()) image.architecture = source.resource.architecture;
  record.root = source.root;
}

void TakeDisk(Txn& txn, ImageRecord& record) {
  DiskRecord disk = FindDisk(txn, record.project, "", record.resource.sourceDisk);
  std::optional<std::string> user = RunningUser(txn, disk);
  if (user && !record.force) InUse("disk", disk.resource.selfLink, *user);
  c::Image& image = record.resource;
  image.sourceDisk = disk.resource.selfLink;
  image.sourceDiskId = std::to_string(disk.resource.id);
  image.diskSizeGb = std::max(image.diskSizeGb, disk.resource.sizeGb);
  image.status = "PENDING";
  record.root = disk.root;  // so that what lies below stays, too, should the disk go
}

}  // namespace

void ImagesService::Serve(net::Router& router) {
  using Self = ImagesService;
  router.On(c::kGetImage, this, &Self::Get);
  router.On(c::kGetImageFromFamily, this, &Self::GetFromFamily);
  router.On(c::kGetImageFamilyView, this, &Self::GetFamilyView);
  router.On(c::kListImages, this, &Self::List);
  router.On(c::kInsertImage, this, &Self::Insert);
  router.On(c::kDeleteImage, this, &Self::Delete);
  router.On(c::kPatchImage, this, &Self::Patch);
  router.On(c::kDeprecateImage, this, &Self::Deprecate);
  router.On(c::kSetImageLabels, this, &Self::SetLabels);
  router.On(c::kGetImagePolicy, this, &Self::GetPolicy);
  router.On(c::kSetImagePolicy, this, &Self::SetPolicy);
  router.On(c::kTestImagePermissions, this, &Self::TestPermissions);
}

void ImagesService::Require(std::string_view permission, const std::string& project,
                            const std::string& image, const net::Call& call) {
  if (call.caller.anonymous()) {
    throw Failure(Code::kUnauthenticated, "required", "Login Required.");
  }
  bool reads = permission.find(".get") != permission.npos || permission.ends_with(".list");
  bool everybodys = IsPublicImageProject(project);
  if (everybodys && reads) return;
  std::string resource = image.empty() ? "projects/" + project : PolicyResource(project, image);
  net::Require(access_, call.caller, permission, everybodys ? "" : resource);
}

c::Image ImagesService::Resolve(const std::string& project, const std::string& path) {
  return Query(catalog_, [&](Txn& txn) {
    return ResolveImage(txn, "projects/" + project + path, project).resource;
  });
}

c::Image ImagesService::Get(const c::GetGlobal& request, const net::Call& call) {
  Require("compute.images.get", request.project, request.name, call);
  return Resolve(request.project, "/global/images/" + request.name);
}

c::Image ImagesService::GetFromFamily(const c::GetGlobal& request, const net::Call& call) {
  Require("compute.images.getFromFamily", request.project, "", call);
  return Resolve(request.project, "/global/images/family/" + request.name);
}

c::ImageFamilyView ImagesService::GetFamilyView(const c::GetZonal& request, const net::Call& call) {
  Require("compute.images.getFromFamily", request.project, "", call);
  return {Resolve(request.project, "/zones/" + request.zone + "/imageFamilyViews/" + request.name)};
}

c::ListOf<c::Image> ImagesService::List(const c::ListProject& request, const net::Call& call) {
  Require("compute.images.list", request.project, "", call);
  PageRequest wanted(request);
  std::map<Key, c::Image> all;
  for (c::Image& image : PublicImages(request.project)) all[image.name] = image;
  PageOf<c::Image> page = Query(catalog_, [&](Txn& txn) {
    auto show = [](const ImageRecord& record) { return record.resource; };
    std::string prefix = request.project + "/";
    if (all.empty()) return PageOfRows<ImageRecord, c::Image>(txn, prefix, wanted, show);
    txn.ForEach<ImageRecord>({.prefix = prefix}, [&](Row<ImageRecord>& row) {
      all[row.value.resource.name] = std::move(row.value.resource);
    });
    return PageOfTable<c::Image>(wanted, {all.begin(), all.end()});
  });
  return {.kind = "compute#imageList",
          .id = "projects/" + request.project + "/global/images",
          .items = page.TakeValues(),
          .nextPageToken = page.next,
          .selfLink = ProjectLink(request.project) + "/global/images"};
}

void ImagesService::CheckSource(const c::InsertImage& request, const net::Call& call) {
  const c::Image& image = request.body;
  if (!image.sourceSnapshot.empty()) {
    Missing(request.project, "global/snapshots/" + LastWord(image.sourceSnapshot));
  }
  int sources = !image.sourceImage.empty() + !image.sourceDisk.empty() + image.rawDisk.has_value();
  if (sources != 1) {
    throw Failure(Code::kInvalid,
                  "Invalid value for field 'resource': exactly one of sourceImage, sourceDisk and "
                  "rawDisk must be given.");
  }
  RequireImageUse(access_, call.caller, image.sourceImage, request.project);
  std::string owner = ParseRef(image.sourceDisk).project;
  if (!image.sourceDisk.empty() && !owner.empty() && owner != request.project) {
    net::Require(access_, call.caller, "compute.disks.useReadOnly", "projects/" + owner);
  }
  if (image.rawDisk) {
    RawSource source = ParseRawSource(image.rawDisk->source);
    net::Require(access_, call.caller, "storage.objects.get", "buckets/" + source.bucket);
  }
}

ImageRecord ImagesService::MakeImage(Txn& txn, const c::InsertImage& request, int64_t id,
                                     Time now) {
  ImageRecord record{
      .project = request.project, .resource = request.body, .force = request.forceCreate};
  c::Image& image = record.resource;
  if (txn.Find<ImageRecord>(record.key())) {
    AlreadyThere(request.project, "global/images/" + image.name);
  }
  image.id = id;
  image.creationTimestamp = FormatTime(now);
  image.selfLink = ScopedLink(request.project, "global", "images", image.name);
  image.labelFingerprint = FingerprintOf(image.labels);
  if (!image.sourceImage.empty()) {
    TakeImage(txn, record);
  } else if (!image.sourceDisk.empty()) {
    TakeDisk(txn, record);
  } else {
    image.status = "PENDING";
  }
  if (image.diskSizeGb == 0) image.diskSizeGb = kDefaultImageGb;
  if (image.architecture.empty()) image.architecture = "X86_64";
  return record;
}

c::Operation ImagesService::Insert(const c::InsertImage& request, const net::Call& call) {
  const std::string& project = request.project;
  Require("compute.images.create", project, "", call);
  RequireResourceName(request.body.name);
  if (!request.body.family.empty() && !IsResourceName(request.body.family)) {
    InvalidField("resource.family", request.body.family, "Not a name.");
  }
  CheckLabels(request.body.labels);
  CheckSource(request, call);
  if (!IsPublicImageProject(project)) identity_.EnsureProject(project, call.caller);
  Key key = project + "/" + request.body.name;
  int64_t id = ids_.NextNumber();
  Operation operation = NewOperation(ids_, {project, "global", kKind, key, 1, id}, "insert",
                                     request.requestId, call.caller);
  Time now = clock_.Now();
  return ShowOperation(Update(catalog_, "image insert", [&](Txn& txn) {
    if (auto earlier = FindRetried(txn, operation)) return *earlier;
    ImageRecord record = MakeImage(txn, request, id, now);
    txn.Put(key, record, 0);
    Operation fresh = operation;
    SetWarnings(fresh, ImageWarnings(txn, request.body.sourceImage, project, strict_));
    if (record.resource.status == "READY") fresh.ended = now;
    return Begin(txn, fresh, now);
  }));
}

template <class Request>
c::Operation ImagesService::Apply(const Request& request, const net::Call& call,
                                  const std::string& verb, const Change& change) {
  Key key = request.project + "/" + request.name;
  Operation operation = NewOperation(ids_, {request.project, "global", kKind, key, 0}, verb,
                                     request.requestId, call.caller);
  Time now = clock_.Now();
  return ShowOperation(Update(catalog_, "image " + verb, [&](Txn& txn) {
    if (auto earlier = FindRetried(txn, operation)) return *earlier;
    auto row = txn.Find<ImageRecord>(key);
    if (!row) Missing(request.project, "global/images/" + request.name);
    Operation fresh = operation;
    fresh.target_id = row->value.resource.id;
    change(txn, row->value);
    fresh.ended = now;
    return Begin(txn, fresh, now);
  }));
}

c::Operation ImagesService::Delete(const c::ChangeGlobal& request, const net::Call& call) {
  Require("compute.images.delete", request.project, request.name, call);
  return Apply(request, call, "delete", [&](Txn& txn, ImageRecord& record) {
    txn.Erase<ImageRecord>(record.key());
    identity::ErasePolicy(txn, PolicyResource(request.project, request.name));
    // An image that was still being made will never be.
    Error gone{Code::kCancelled, "", "The image was deleted before it was made."};
    Settle(txn, kKind, record.key(), kGone, gone, clock_.Now());
  });
}

c::Operation ImagesService::Patch(const c::EditGlobal<Json>& request, const net::Call& call) {
  Require("compute.images.update", request.project, request.name, call);
  return Apply(request, call, "patch", [&](Txn& txn, ImageRecord& record) {
    const Labels before = record.resource.labels;
    PatchJson(record.resource, request.body.text);
    CheckLabels(record.resource.labels, before);
    record.resource.labelFingerprint = FingerprintOf(record.resource.labels);
    txn.Put(record.key(), record);
  });
}

c::Operation ImagesService::Deprecate(const c::EditGlobal<c::Deprecation>& request,
                                      const net::Call& call) {
  Require("compute.images.deprecate", request.project, request.name, call);
  const std::string& state = request.body.state;
  bool active = state.empty() || state == "ACTIVE";
  if (!active && state != "DEPRECATED" && state != "OBSOLETE" && state != "DELETED") {
    InvalidField("deprecationStatus.state", state,
                 "Must be one of ACTIVE, DEPRECATED, OBSOLETE and DELETED.");
  }
  return Apply(request, call, "deprecate", [&](Txn& txn, ImageRecord& record) {
    record.resource.deprecated.reset();
    if (!active) record.resource.deprecated = request.body;
    txn.Put(record.key(), record);
  });
}

c::Operation ImagesService::SetLabels(const c::EditGlobal<c::LabelsBody>& request,
                                      const net::Call& call) {
  Require("compute.images.setLabels", request.project, request.name, call);
  return Apply(request, call, "setLabels", [&](Txn& txn, ImageRecord& record) {
    CheckFingerprint(request.body.labelFingerprint, record.resource.labelFingerprint,
                     Absent::kRefused);
    CheckLabels(request.body.labels, record.resource.labels);
    record.resource.labels = request.body.labels;
    record.resource.labelFingerprint = FingerprintOf(request.body.labels);
    txn.Put(record.key(), record);
  });
}

api::Policy ImagesService::GetPolicy(const c::GetGlobal& all, const net::Call& call) {
  constexpr std::string_view kVerb = "/getIamPolicy";
  c::GetGlobal request = all;
  if (!request.name.ends_with(kVerb)) Missing(all.project, "global/images/" + all.name);
  request.name.resize(request.name.size() - kVerb.size());
  Require("compute.images.getIamPolicy", request.project, request.name, call);
  return Query(catalog_, [&](Txn& txn) -> api::Policy {
    if (!txn.Find<ImageRecord>(request.project + "/" + request.name)) {
      Missing(request.project, "global/images/" + request.name);
    }
    try {
      return identity::GetPolicy(txn, PolicyResource(request.project, request.name));
    } catch (const Failure& failure) {
      // Nobody has said anything about this image alone.
      if (failure.error().code != Code::kNotFound) throw;
      return {.etag = {std::string(8, '\0')}};
    }
  });
}

api::Policy ImagesService::SetPolicy(const c::SetImagePolicy& request, const net::Call&) {
  std::string resource = PolicyResource(request.project, request.name);
  return Update(catalog_, "image policy", [&](Txn& txn) {
    if (!txn.Find<ImageRecord>(request.project + "/" + request.name)) {
      Missing(request.project, "global/images/" + request.name);
    }
    api::Policy wanted = request.body.policy;
    try {
      identity::GetPolicy(txn, resource);
    } catch (const Failure& failure) {
      if (failure.error().code != Code::kNotFound) throw;
      identity::CreatePolicy(txn, resource, "projects/" + request.project);
      wanted.etag = {};
    }
    return identity::SetPolicy(txn, resource, wanted);
  });
}

api::TestPermissionsBody ImagesService::TestPermissions(const c::TestImagePermissions& request,
                                                        const net::Call& call) {
  return {identity::GrantedOf(access_, call.caller, request.body.permissions,
                              PolicyResource(request.project, request.name))};
}

}  // namespace fireweed::compute
