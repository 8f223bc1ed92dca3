// projects.models, projects.models.versions and projects.operations of the ml API.
#pragma once

#include <string>
#include <vector>

#include "api/long_running_operation.h"
#include "api/ml/model.h"
#include "api/ml/service.h"
#include "api/policy.h"

namespace fireweed::api::ml {

struct CreateModel {
  std::string project;
  Model body;
};
struct NameModel {
  std::string project, model;
};
struct ListModels {
  std::string project, filter, pageToken;
  int32_t pageSize = 0;
};
struct ModelList {
  std::vector<Model> models;
  std::string nextPageToken;
};
// The body stays text: which of its fields count is said by the mask.
struct PatchModel {
  std::string project, model, updateMask;
  Json body;
};
struct SetModelPolicy {
  std::string project, model;
  SetIamPolicyBody body;
};
struct TestModelPermissions {
  std::string project, model;
  TestPermissionsBody body;
};

struct CreateVersion {
  std::string project, model;
  Version body;
};
struct NameVersion {
  std::string project, model, version;
};
struct SetDefaultVersion {
  std::string project, model, version;
  Empty body;
};
struct ListVersions {
  std::string project, model, filter, pageToken;
  int32_t pageSize = 0;
};
struct VersionList {
  std::vector<Version> versions;
  std::string nextPageToken;
};
struct PatchVersion {
  std::string project, model, version, updateMask;
  Json body;
};

struct NameOperation {
  std::string project, operation;
  int32_t waitSeconds = 0;  // fireweed: answer when it has ended, or after so long
};
struct CancelOperation {
  std::string project, operation;
  Empty body;
};
struct ListOperations {
  std::string project, filter, pageToken;
  int32_t pageSize = 0;
};
struct OperationList {
  std::vector<LongRunningOperation> operations;
  std::string nextPageToken;
};

inline constexpr std::string_view kModelResource = "projects/{project}/models/{model}";

inline constexpr Method<CreateModel, Model> kCreateModel{kService,
                                                         Verb::kPost,
                                                         "/v1/projects/{project}/models",
                                                         "ml.projects.models.create",
                                                         "ml.models.create",
                                                         kProjectResource};
inline constexpr Method<ListModels, ModelList> kListModels{
    kService,         Verb::kGet,      "/v1/projects/{project}/models", "ml.projects.models.list",
    "ml.models.list", kProjectResource};
inline constexpr Method<NameModel, Model> kGetModel{kService,
                                                    Verb::kGet,
                                                    "/v1/projects/{project}/models/{model}",
                                                    "ml.projects.models.get",
                                                    "ml.models.get",
                                                    kModelResource};
inline constexpr Method<PatchModel, LongRunningOperation> kPatchModel{
    kService,
    Verb::kPatch,
    "/v1/projects/{project}/models/{model}",
    "ml.projects.models.patch",
    "ml.models.update",
    kModelResource};
inline constexpr Method<NameModel, LongRunningOperation> kDeleteModel{
    kService,
    Verb::kDelete,
    "/v1/projects/{project}/models/{model}",
    "ml.projects.models.delete",
    "ml.models.delete",
    kModelResource};
inline constexpr Method<NameModel, Policy> kGetModelPolicy{
    kService,
    Verb::kGet,
    "/v1/projects/{project}/models/{model}:getIamPolicy",
    "ml.projects.models.getIamPolicy",
    "ml.models.getIamPolicy",
    kModelResource};
inline constexpr Method<SetModelPolicy, Policy> kSetModelPolicy{
    kService,
    Verb::kPost,
    "/v1/projects/{project}/models/{model}:setIamPolicy",
    "ml.projects.models.setIamPolicy",
    "ml.models.setIamPolicy",
    kModelResource};
inline constexpr Method<TestModelPermissions, TestPermissionsBody> kTestModelPermissions{
    kService, Verb::kPost, "/v1/projects/{project}/models/{model}:testIamPermissions",
    "ml.projects.models.testIamPermissions"};

inline constexpr Method<CreateVersion, LongRunningOperation> kCreateVersion{
    kService,
    Verb::kPost,
    "/v1/projects/{project}/models/{model}/versions",
    "ml.projects.models.versions.create",
    "ml.versions.create",
    kModelResource};
inline constexpr Method<ListVersions, VersionList> kListVersions{
    kService,
    Verb::kGet,
    "/v1/projects/{project}/models/{model}/versions",
    "ml.projects.models.versions.list",
    "ml.versions.list",
    kModelResource};
inline constexpr Method<NameVersion, Version> kGetVersion{
    kService,
    Verb::kGet,
    "/v1/projects/{project}/models/{model}/versions/{version}",
    "ml.projects.models.versions.get",
    "ml.versions.get",
    kModelResource};
inline constexpr Method<PatchVersion, LongRunningOperation> kPatchVersion{
    kService,
    Verb::kPatch,
    "/v1/projects/{project}/models/{model}/versions/{version}",
    "ml.projects.models.versions.patch",
    "ml.versions.update",
    kModelResource};
inline constexpr Method<NameVersion, LongRunningOperation> kDeleteVersion{
    kService,
    Verb::kDelete,
    "/v1/projects/{project}/models/{model}/versions/{version}",
    "ml.projects.models.versions.delete",
    "ml.versions.delete",
    kModelResource};
inline constexpr Method<SetDefaultVersion, Version> kSetDefaultVersion{
    kService,
    Verb::kPost,
    "/v1/projects/{project}/models/{model}/versions/{version}:setDefault",
    "ml.projects.models.versions.setDefault",
    "ml.models.update",
    kModelResource};

inline constexpr Method<NameOperation, LongRunningOperation> kGetOperation{
    kService,
    Verb::kGet,
    "/v1/projects/{project}/operations/{operation}",
    "ml.projects.operations.get",
    "ml.operations.get",
    kProjectResource};
inline constexpr Method<ListOperations, OperationList> kListOperations{
    kService,
    Verb::kGet,
    "/v1/projects/{project}/operations",
    "ml.projects.operations.list",
    "ml.operations.list",
    kProjectResource};
inline constexpr Method<CancelOperation, Empty> kCancelOperation{
    kService,
    Verb::kPost,
    "/v1/projects/{project}/operations/{operation}:cancel",
    "ml.projects.operations.cancel",
    "ml.operations.cancel",
    kProjectResource};

}  // namespace fireweed::api::ml

namespace fireweed {
template <>
inline constexpr auto kFields<api::ml::CreateModel> = [](auto...) {
  return Fields{F("project", &api::ml::CreateModel::project, kPath),
                F("body", &api::ml::CreateModel::body, kBody)};
};
template <>
inline constexpr auto kFields<api::ml::NameModel> = [](auto...) {
  return Fields{F("project", &api::ml::NameModel::project, kPath),
                F("model", &api::ml::NameModel::model, kPath)};
};
template <>
inline constexpr auto kFields<api::ml::ListModels> = [](auto...) {
  return Fields{F("project", &api::ml::ListModels::project, kPath),
                F("filter", &api::ml::ListModels::filter, kQuery),
                F("pageToken", &api::ml::ListModels::pageToken, kQuery),
                F("pageSize", &api::ml::ListModels::pageSize, kQuery)};
};
template <>
inline constexpr std::string_view kTypeName<api::ml::ModelList> = "ListModelsResponse";
template <>
inline constexpr auto kFields<api::ml::ModelList> = [](auto...) {
  return Fields{F("models", &api::ml::ModelList::models),
                F("nextPageToken", &api::ml::ModelList::nextPageToken)};
};
template <>
inline constexpr auto kFields<api::ml::PatchModel> = [](auto...) {
  return Fields{F("project", &api::ml::PatchModel::project, kPath),
                F("model", &api::ml::PatchModel::model, kPath),
                F("updateMask", &api::ml::PatchModel::updateMask, kQuery),
                F("body", &api::ml::PatchModel::body, kBody)};
};
template <>
inline constexpr auto kFields<api::ml::SetModelPolicy> = [](auto...) {
  return Fields{F("project", &api::ml::SetModelPolicy::project, kPath),
                F("model", &api::ml::SetModelPolicy::model, kPath),
                F("body", &api::ml::SetModelPolicy::body, kBody)};
};
template <>
inline constexpr auto kFields<api::ml::TestModelPermissions> = [](auto...) {
  return Fields{F("project", &api::ml::TestModelPermissions::project, kPath),
                F("model", &api::ml::TestModelPermissions::model, kPath),
                F("body", &api::ml::TestModelPermissions::body, kBody)};
};
template <>
inline constexpr auto kFields<api::ml::CreateVersion> = [](auto...) {
  return Fields{F("project", &api::ml::CreateVersion::project, kPath),
                F("model", &api::ml::CreateVersion::model, kPath),
                F("body", &api::ml::CreateVersion::body, kBody)};
};
template <>
inline constexpr auto kFields<api::ml::NameVersion> = [](auto...) {
  return Fields{F("project", &api::ml::NameVersion::project, kPath),
                F("model", &api::ml::NameVersion::model, kPath),
                F("version", &api::ml::NameVersion::version, kPath)};
};
template <>
inline constexpr auto kFields<api::ml::SetDefaultVersion> = [](auto...) {
  return Fields{F("project", &api::ml::SetDefaultVersion::project, kPath),
                F("model", &api::ml::SetDefaultVersion::model, kPath),
                F("version", &api::ml::SetDefaultVersion::version, kPath),
                F("body", &api::ml::SetDefaultVersion::body, kBody)};
};
template <>
inline constexpr auto kFields<api::ml::ListVersions> = [](auto...) {
  return Fields{F("project", &api::ml::ListVersions::project, kPath),
                F("model", &api::ml::ListVersions::model, kPath),
                F("filter", &api::ml::ListVersions::filter, kQuery),
                F("pageToken", &api::ml::ListVersions::pageToken, kQuery),
                F("pageSize", &api::ml::ListVersions::pageSize, kQuery)};
};
template <>
inline constexpr std::string_view kTypeName<api::ml::VersionList> = "ListVersionsResponse";
template <>
inline constexpr auto kFields<api::ml::VersionList> = [](auto...) {
  return Fields{F("versions", &api::ml::VersionList::versions),
                F("nextPageToken", &api::ml::VersionList::nextPageToken)};
};
template <>
inline constexpr auto kFields<api::ml::PatchVersion> = [](auto...) {
  return Fields{F("project", &api::ml::PatchVersion::project, kPath),
                F("model", &api::ml::PatchVersion::model, kPath),
                F("version", &api::ml::PatchVersion::version, kPath),
                F("updateMask", &api::ml::PatchVersion::updateMask, kQuery),
                F("body", &api::ml::PatchVersion::body, kBody)};
};
template <>
inline constexpr auto kFields<api::ml::NameOperation> = [](auto...) {
  return Fields{F("project", &api::ml::NameOperation::project, kPath),
                F("operation", &api::ml::NameOperation::operation, kPath),
                F("waitSeconds", &api::ml::NameOperation::waitSeconds, kQuery)};
};
template <>
inline constexpr auto kFields<api::ml::CancelOperation> = [](auto...) {
  return Fields{F("project", &api::ml::CancelOperation::project, kPath),
                F("operation", &api::ml::CancelOperation::operation, kPath),
                F("body", &api::ml::CancelOperation::body, kBody)};
};
template <>
inline constexpr auto kFields<api::ml::ListOperations> = [](auto...) {
  return Fields{F("project", &api::ml::ListOperations::project, kPath),
                F("filter", &api::ml::ListOperations::filter, kQuery),
                F("pageToken", &api::ml::ListOperations::pageToken, kQuery),
                F("pageSize", &api::ml::ListOperations::pageSize, kQuery)};
};
template <>
inline constexpr std::string_view kTypeName<api::ml::OperationList> = "ListOperationsResponse";
template <>
inline constexpr auto kFields<api::ml::OperationList> = [](auto...) {
  return Fields{F("operations", &api::ml::OperationList::operations),
                F("nextPageToken", &api::ml::OperationList::nextPageToken)};
};
}  // namespace fireweed
