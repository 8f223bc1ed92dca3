// Cloud Resource Manager v1: projects and their policies.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "api/long_running_operation.h"
#include "api/method.h"
#include "api/policy.h"

namespace fireweed::api::crm {

inline constexpr std::string_view kHosts[] = {"cloudresourcemanager.googleapis.com"};
inline constexpr Service kService{.name = "cloudresourcemanager",
                                  .version = "v1",
                                  .title = "Cloud Resource Manager API",
                                  .hosts = kHosts};

enum class LifecycleState { kUnspecified, kActive, kDeleteRequested };

struct ResourceId {
  std::string type, id;
};

struct Project {
  std::string projectId;
  int64_t projectNumber = 0;
  std::string name;
  LifecycleState lifecycleState = LifecycleState::kActive;
  Time createTime;
  std::map<std::string, std::string> labels;
  std::optional<ResourceId> parent;
};

struct ListProjects {
  std::string filter;
  int32_t pageSize = 0;
  std::string pageToken;
};
struct ProjectList {
  std::vector<Project> projects;
  std::string nextPageToken;
};
struct CreateProject {
  Project project;
};
struct GetProject {
  std::string projectId;
};
struct UpdateProject {
  std::string projectId;
  Project project;
};
struct GetProjectPolicy {
  std::string resource;
  Json options;
};
struct SetProjectPolicy {
  std::string resource;
  SetIamPolicyBody body;
};
struct TestProjectPermissions {
  std::string resource;
  TestPermissionsBody body;
};

inline constexpr Method<ListProjects, ProjectList> kListProjects{
    kService, Verb::kGet, "/v1/projects", "cloudresourcemanager.projects.list"};
inline constexpr Method<CreateProject, LongRunningOperation> kCreateProject{
    kService,
    Verb::kPost,
    "/v1/projects",
    "cloudresourcemanager.projects.create",
    "resourcemanager.projects.create",
    "fireweed"};
inline constexpr Method<GetProject, Project> kGetProject{kService,
                                                         Verb::kGet,
                                                         "/v1/projects/{projectId}",
                                                         "cloudresourcemanager.projects.get",
                                                         "resourcemanager.projects.get",
                                                         "projects/{projectId}"};
inline constexpr Method<UpdateProject, Project> kUpdateProject{
    kService,
    Verb::kPut,
    "/v1/projects/{projectId}",
    "cloudresourcemanager.projects.update",
    "resourcemanager.projects.update",
    "projects/{projectId}"};
inline constexpr Method<GetProject, Empty> kDeleteProject{kService,
                                                          Verb::kDelete,
                                                          "/v1/projects/{projectId}",
                                                          "cloudresourcemanager.projects.delete",
                                                          "resourcemanager.projects.delete",
                                                          "projects/{projectId}"};
inline constexpr Method<GetProject, Empty> kUndeleteProject{
    kService,
    Verb::kPost,
    "/v1/projects/{projectId}:undelete",
    "cloudresourcemanager.projects.undelete",
    "resourcemanager.projects.undelete",
    "projects/{projectId}"};
inline constexpr Method<GetProjectPolicy, Policy> kGetProjectPolicy{
    kService,
    Verb::kPost,
    "/v1/projects/{resource}:getIamPolicy",
    "cloudresourcemanager.projects.getIamPolicy",
    "resourcemanager.projects.getIamPolicy",
    "projects/{resource}"};
inline constexpr Method<SetProjectPolicy, Policy> kSetProjectPolicy{
    kService,
    Verb::kPost,
    "/v1/projects/{resource}:setIamPolicy",
    "cloudresourcemanager.projects.setIamPolicy",
    "resourcemanager.projects.setIamPolicy",
    "projects/{resource}"};
// Anybody signed in may ask what they may do.
inline constexpr Method<TestProjectPermissions, TestPermissionsBody> kTestProjectPermissions{
    kService, Verb::kPost, "/v1/projects/{resource}:testIamPermissions",
    "cloudresourcemanager.projects.testIamPermissions"};

}  // namespace fireweed::api::crm

namespace fireweed {
template <>
inline constexpr std::string_view kTypeName<api::crm::LifecycleState> = "LifecycleState";
template <>
inline constexpr std::array kEnumNames<api::crm::LifecycleState>{
    std::string_view("LIFECYCLE_STATE_UNSPECIFIED"), std::string_view("ACTIVE"),
    std::string_view("DELETE_REQUESTED")};
template <>
inline constexpr std::string_view kTypeName<api::crm::ResourceId> = "ResourceId";
template <>
inline constexpr auto kFields<api::crm::ResourceId> = [](auto...) {
  return Fields{F("type", &api::crm::ResourceId::type), F("id", &api::crm::ResourceId::id)};
};
template <>
inline constexpr std::string_view kTypeName<api::crm::Project> = "Project";
template <>
inline constexpr auto kFields<api::crm::Project> = [](auto...) {
  return Fields{F("projectNumber", &api::crm::Project::projectNumber, kOutput),
                F("projectId", &api::crm::Project::projectId, kImmutable,
                  "6 to 30 characters: lower-case letters, digits, dashes."),
                F("lifecycleState", &api::crm::Project::lifecycleState, kOutput),
                F("name", &api::crm::Project::name),
                F("createTime", &api::crm::Project::createTime, kOutput),
                F("labels", &api::crm::Project::labels),
                F("parent", &api::crm::Project::parent)};
};
template <>
inline constexpr std::string_view kTypeName<api::crm::ListProjects> = "ListProjectsRequest";
template <>
inline constexpr auto kFields<api::crm::ListProjects> = [](auto...) {
  return Fields{F("filter", &api::crm::ListProjects::filter, kQuery),
                F("pageSize", &api::crm::ListProjects::pageSize, kQuery),
                F("pageToken", &api::crm::ListProjects::pageToken, kQuery)};
};
template <>
inline constexpr std::string_view kTypeName<api::crm::ProjectList> = "ListProjectsResponse";
template <>
inline constexpr auto kFields<api::crm::ProjectList> = [](auto...) {
  return Fields{F("projects", &api::crm::ProjectList::projects),
                F("nextPageToken", &api::crm::ProjectList::nextPageToken)};
};
template <>
inline constexpr std::string_view kTypeName<api::crm::CreateProject> = "CreateProjectRequest";
template <>
inline constexpr auto kFields<api::crm::CreateProject> =
    [](auto...) { return Fields{F("project", &api::crm::CreateProject::project, kBody)}; };
template <>
inline constexpr std::string_view kTypeName<api::crm::GetProject> = "GetProjectRequest";
template <>
inline constexpr auto kFields<api::crm::GetProject> =
    [](auto...) { return Fields{F("projectId", &api::crm::GetProject::projectId, kPath)}; };
template <>
inline constexpr std::string_view kTypeName<api::crm::UpdateProject> = "UpdateProjectRequest";
template <>
inline constexpr auto kFields<api::crm::UpdateProject> = [](auto...) {
  return Fields{F("projectId", &api::crm::UpdateProject::projectId, kPath),
                F("project", &api::crm::UpdateProject::project, kBody)};
};
template <>
inline constexpr std::string_view kTypeName<api::crm::GetProjectPolicy> = "GetIamPolicyRequest";
template <>
inline constexpr auto kFields<api::crm::GetProjectPolicy> = [](auto...) {
  return Fields{F("resource", &api::crm::GetProjectPolicy::resource, kPath),
                F("options", &api::crm::GetProjectPolicy::options, kBody)};
};
template <>
inline constexpr std::string_view kTypeName<api::crm::SetProjectPolicy> = "SetProjectPolicyRequest";
template <>
inline constexpr auto kFields<api::crm::SetProjectPolicy> = [](auto...) {
  return Fields{F("resource", &api::crm::SetProjectPolicy::resource, kPath),
                F("body", &api::crm::SetProjectPolicy::body, kBody)};
};
template <>
inline constexpr std::string_view kTypeName<api::crm::TestProjectPermissions> =
    "TestProjectPermissionsRequest";
template <>
inline constexpr auto kFields<api::crm::TestProjectPermissions> = [](auto...) {
  return Fields{F("resource", &api::crm::TestProjectPermissions::resource, kPath),
                F("body", &api::crm::TestProjectPermissions::body, kBody)};
};
}  // namespace fireweed
