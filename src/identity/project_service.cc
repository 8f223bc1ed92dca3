#include "identity/project_service.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/bytes.h"
#include "describe/json_codec.h"
#include "identity/policies.h"
#include "identity/project_filter.h"
#include "identity/records.h"

namespace fireweed::identity {
namespace {

using api::LongRunningOperation;
using api::crm::LifecycleState;
using api::crm::Project;
using net::Call;

constexpr int kPage = 500;
// Nothing takes time here: an operation is done when it is acknowledged, and its name says what it made.
constexpr std::string_view kCreated = "cp.";
constexpr std::string_view kAlreadyDone = "noop.DONE_OPERATION";

std::string Resource(const Project& project) { return "projects/" + project.projectId; }

LongRunningOperation CreatedOperation(const Project& project) {
  std::string body = EncodeJson(project, Audience::kWire);
  std::string typed =
      "{\"@type\":\"type.googleapis.com/google.cloudresourcemanager.v1.Project\"," + body.substr(1);
  return {.name = fmt::format("operations/{}{}", kCreated, project.projectNumber),
          .done = true,
          .response = {std::move(typed)}};
}

void RequireSignedIn(const Call& call) {
  if (call.caller.anonymous()) {
    throw Failure(Code::kUnauthenticated, "required", "Login Required.");
  }
}

}  // namespace

void ProjectService::Serve(net::Router& router) {
  namespace crm = api::crm;
  router.On(crm::kListProjects, this, &ProjectService::List);
  router.On(crm::kCreateProject, this, &ProjectService::Create);
  router.On(crm::kGetProject, this, &ProjectService::Get);
  router.On(crm::kUpdateProject, this, &ProjectService::Update);
  router.On(crm::kDeleteProject, this, &ProjectService::Delete);
  router.On(crm::kUndeleteProject, this, &ProjectService::Undelete);
  router.On(crm::kGetProjectPolicy, this, &ProjectService::GetPolicy);
  router.On(crm::kSetProjectPolicy, this, &ProjectService::SetPolicy);
  router.On(crm::kTestProjectPermissions, this, &ProjectService::TestPermissions);
  router.On(crm::kGetOperation, this, &ProjectService::GetOperation);
}

// Everybody sees the projects they may get: a page is filled from as many rows as that takes.
api::crm::ProjectList ProjectService::List(const api::crm::ListProjects& request,
                                           const Call& call) {
  RequireSignedIn(call);
  size_t want =
      static_cast<size_t>(request.pageSize > 0 ? std::min(request.pageSize, kPage) : kPage);
  std::optional<std::string> after = Base64Decode(request.pageToken);
  if (!after) throw Failure(Code::kInvalid, "Invalid page token.");
  api::crm::ProjectList reply;
  ScanRange range{.limit = kPage};
  if (!after->empty()) range.after = after;
  ForEach<Project>(catalog_, range, [&](Row<Project>& row) {
    if (!MatchesFilter(row.value, request.filter) ||
        !access_.May(call.caller, "resourcemanager.projects.get", Resource(row.value))) {
      return true;
    }
    if (reply.projects.size() == want) {
      reply.nextPageToken = Base64Encode(reply.projects.back().projectId);
      return false;
    }
    reply.projects.push_back(std::move(row.value));
    return true;
  });
  return reply;
}

LongRunningOperation ProjectService::Create(const api::crm::CreateProject& request,
                                            const Call& call) {
  const Project& wanted = request.project;
  Project project = fireweed::Update(catalog_, "project create", [&](Txn& txn) {
    return projects_.Create(txn, wanted.projectId, wanted.name, wanted.labels, call.caller);
  });
  log_.Info("project created",
            {{"project", project.projectId}, {"by", call.caller.email}, {"request", call.http.id}});
  return CreatedOperation(project);
}

Project ProjectService::Load(std::string_view project, const Call& call) {
  auto found = Query(catalog_, [&](Txn& txn) { return projects_.Find(txn, project); });
  if (found) return *std::move(found);
  Project made = fireweed::Update(catalog_, "project first use", [&](Txn& txn) {
    return projects_.Ensure(txn, project, call.caller);
  });
  log_.Info("project created",
            {{"project", made.projectId}, {"by", call.caller.email}, {"request", call.http.id}});
  return made;
}

Project ProjectService::Get(const api::crm::GetProject& request, const Call& call) {
  return Load(request.projectId, call);
}

Project ProjectService::Update(const api::crm::UpdateProject& request, const Call& call) {
  std::string id = Load(request.projectId, call).projectId;
  return fireweed::Update(catalog_, "project update", [&](Txn& txn) {
    Row<Project> row = txn.Find<Project>(id).value();
    if (!request.project.name.empty()) row.value.name = request.project.name;
    row.value.labels = request.project.labels;
    txn.Put(id, row.value, row.version);
    return row.value;
  });
}

void ProjectService::SetState(std::string_view project, LifecycleState state) {
  catalog_.Write("project state", [&](Txn& txn) {
    std::optional<Project> found = projects_.Find(txn, project);
    if (!found) {
      throw Failure(Code::kNotFound, fmt::format("Project '{}' was not found.", project));
    }
    found->lifecycleState = state;
    txn.Put(found->projectId, *found);
  });
  log_.Info("project state changed", {{"project", project}, {"state", EnumName(state)}});
}

api::Empty ProjectService::Delete(const api::crm::GetProject& request, const Call&) {
  SetState(request.projectId, LifecycleState::kDeleteRequested);
  return {};
}

api::Empty ProjectService::Undelete(const api::crm::GetProject& request, const Call&) {
  SetState(request.projectId, LifecycleState::kActive);
  return {};
}

api::Policy ProjectService::GetPolicy(const api::crm::GetProjectPolicy& request, const Call& call) {
  Project project = Load(request.resource, call);
  return Query(catalog_, [&](Txn& txn) { return identity::GetPolicy(txn, Resource(project)); });
}

api::Policy ProjectService::SetPolicy(const api::crm::SetProjectPolicy& request, const Call& call) {
  Project project = Load(request.resource, call);
  api::Policy policy = fireweed::Update(catalog_, "project policy", [&](Txn& txn) {
    return identity::SetPolicy(txn, Resource(project), request.body.policy);
  });
  log_.Info("policy changed", {{"resource", Resource(project)}, {"by", call.caller.email}});
  return policy;
}

api::TestPermissionsBody ProjectService::TestPermissions(
    const api::crm::TestProjectPermissions& request, const Call& call) {
  RequireSignedIn(call);
  Project project = Load(request.resource, call);
  return {GrantedOf(access_, call.caller, request.body.permissions, Resource(project))};
}

LongRunningOperation ProjectService::GetOperation(const api::crm::GetOperation& request,
                                                  const Call& call) {
  RequireSignedIn(call);
  std::string_view name = request.operation;
  if (name == kAlreadyDone) {
    return {.name = "operations/" + request.operation, .done = true, .response = {"{}"}};
  }
  if (name.starts_with(kCreated)) {
    std::string_view number = name.substr(kCreated.size());
    auto project = Query(catalog_, [&](Txn& txn) { return projects_.Find(txn, number); });
    if (project) {
      net::Require(access_, call.caller, "resourcemanager.projects.get", Resource(*project));
      return CreatedOperation(*project);
    }
  }
  throw Failure(Code::kNotFound, fmt::format("Operation '{}' was not found.", name));
}

}  // namespace fireweed::identity
