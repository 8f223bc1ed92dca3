#include "compute/projects_service.h"

#include "compute/fingerprint.h"
#include "compute/links.h"
#include "compute/metadata_items.h"
#include "compute/operations_service.h"
#include "compute/records.h"

namespace fireweed::compute {
namespace {

api::compute::Metadata CommonMetadata(Txn& txn, const std::string& project) {
  auto row = txn.Find<ProjectRecord>(project);
  api::compute::Metadata metadata = row ? row->value.metadata : api::compute::Metadata{};
  SealMetadata(metadata);
  return metadata;
}

}  // namespace

void ProjectsService::Serve(net::Router& router) {
  router.On(api::compute::kGetProject, this, &ProjectsService::Get);
  router.On(api::compute::kSetProjectMetadata, this, &ProjectsService::SetMetadata);
}

api::compute::Project ProjectsService::Get(const api::compute::ProjectRequest& request,
                                           const net::Call& call) {
  ProjectIdentity project = identity_.EnsureProject(request.project, call.caller);
  return {.id = project.number,
          .creationTimestamp = "1969-12-31T16:00:00.000-08:00",
          .name = request.project,
          .commonInstanceMetadata =
              Query(catalog_, [&](Txn& txn) { return CommonMetadata(txn, request.project); }),
          .quotas = quotas_.Show(request.project),
          .defaultServiceAccount = project.default_account,
          .selfLink = ProjectLink(request.project)};
}

api::compute::Operation ProjectsService::SetMetadata(
    const api::compute::SetProjectMetadata& request, const net::Call& call) {
  CheckMetadata(request.body);
  int64_t number = identity_.EnsureProject(request.project, call.caller).number;
  Operation operation = NewOperation(
      ids_, {request.project, "global", kRecordKind<ProjectRecord>, request.project, 0, number},
      "compute.projects.setCommonInstanceMetadata", request.requestId, call.caller);
  Time now = clock_.Now();
  Operation begun = Update(catalog_, "project metadata", [&](Txn& txn) {
    if (auto earlier = FindRetried(txn, operation)) return *earlier;
    CheckFingerprint(request.body.fingerprint, CommonMetadata(txn, request.project).fingerprint,
                     Absent::kAllowed);
    ProjectRecord record{.project = request.project, .metadata = request.body};
    SealMetadata(record.metadata);
    txn.Put(request.project, record);
    Operation fresh = operation;
    fresh.ended = now;
    return Begin(txn, fresh, now);
  });
  return ShowOperation(begun);
}

}  // namespace fireweed::compute
