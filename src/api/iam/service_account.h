// IAM v1: service accounts as clients see them.
#pragma once

#include <string>
#include <vector>

#include "api/method.h"
#include "api/policy.h"

namespace fireweed::api::iam {

inline constexpr std::string_view kHosts[] = {"iam.googleapis.com"};
inline constexpr Service kService{.name = "iam",
                                  .version = "v1",
                                  .title = "Identity and Access Management (IAM) API",
                                  .hosts = kHosts,
                                  .path_names = PathNames::kByResource};

struct ServiceAccount {
  std::string name;  // projects/P/serviceAccounts/EMAIL
  std::string projectId;
  std::string uniqueId;  // decimal digits
  std::string email;
  std::string displayName;
  Bytes etag;
  std::string description;
  std::string oauth2ClientId;
  std::optional<bool> disabled;
  Time created;  // stored only
};

struct CreateServiceAccountBody {
  std::string accountId;
  ServiceAccount serviceAccount;
};
struct CreateServiceAccount {
  std::string project;
  CreateServiceAccountBody body;
};
struct ListServiceAccounts {
  std::string project;
  int32_t pageSize = 0;
  std::string pageToken;
};
struct ServiceAccountList {
  std::vector<ServiceAccount> accounts;
  std::string nextPageToken;
};
// `account` is an email or a unique id; `project` may be "-".
struct GetServiceAccount {
  std::string project, account;
};
struct PatchServiceAccountBody {
  ServiceAccount serviceAccount;
  std::string updateMask;
};
struct PatchServiceAccount {
  std::string project, account;
  PatchServiceAccountBody body;
};
struct UpdateServiceAccount {
  std::string project, account;
  ServiceAccount body;
};
struct SetAccountPolicy {
  std::string project, account;
  SetIamPolicyBody body;
};
struct TestAccountPermissions {
  std::string project, account;
  TestPermissionsBody body;
};

inline constexpr Method<CreateServiceAccount, ServiceAccount> kCreateServiceAccount{
    kService,
    Verb::kPost,
    "/v1/projects/{project}/serviceAccounts",
    "iam.projects.serviceAccounts.create",
    "iam.serviceAccounts.create",
    "projects/{project}"};
inline constexpr Method<ListServiceAccounts, ServiceAccountList> kListServiceAccounts{
    kService,
    Verb::kGet,
    "/v1/projects/{project}/serviceAccounts",
    "iam.projects.serviceAccounts.list",
    "iam.serviceAccounts.list",
    "projects/{project}"};
inline constexpr Method<GetServiceAccount, ServiceAccount> kGetServiceAccount{
    kService,
    Verb::kGet,
    "/v1/projects/{project}/serviceAccounts/{account}",
    "iam.projects.serviceAccounts.get",
    "iam.serviceAccounts.get",
    "serviceAccounts/{account}"};
inline constexpr Method<PatchServiceAccount, ServiceAccount> kPatchServiceAccount{
    kService,
    Verb::kPatch,
    "/v1/projects/{project}/serviceAccounts/{account}",
    "iam.projects.serviceAccounts.patch",
    "iam.serviceAccounts.update",
    "serviceAccounts/{account}"};
inline constexpr Method<UpdateServiceAccount, ServiceAccount> kUpdateServiceAccount{
    kService,
    Verb::kPut,
    "/v1/projects/{project}/serviceAccounts/{account}",
    "iam.projects.serviceAccounts.update",
    "iam.serviceAccounts.update",
    "serviceAccounts/{account}"};
inline constexpr Method<GetServiceAccount, Empty> kDeleteServiceAccount{
    kService,
    Verb::kDelete,
    "/v1/projects/{project}/serviceAccounts/{account}",
    "iam.projects.serviceAccounts.delete",
    "iam.serviceAccounts.delete",
    "serviceAccounts/{account}"};
inline constexpr Method<GetServiceAccount, Empty> kDisableServiceAccount{
    kService,
    Verb::kPost,
    "/v1/projects/{project}/serviceAccounts/{account}:disable",
    "iam.projects.serviceAccounts.disable",
    "iam.serviceAccounts.disable",
    "serviceAccounts/{account}"};
inline constexpr Method<GetServiceAccount, Empty> kEnableServiceAccount{
    kService,
    Verb::kPost,
    "/v1/projects/{project}/serviceAccounts/{account}:enable",
    "iam.projects.serviceAccounts.enable",
    "iam.serviceAccounts.enable",
    "serviceAccounts/{account}"};
inline constexpr Method<GetServiceAccount, Policy> kGetAccountPolicy{
    kService,
    Verb::kPost,
    "/v1/projects/{project}/serviceAccounts/{account}:getIamPolicy",
    "iam.projects.serviceAccounts.getIamPolicy",
    "iam.serviceAccounts.getIamPolicy",
    "serviceAccounts/{account}"};
inline constexpr Method<SetAccountPolicy, Policy> kSetAccountPolicy{
    kService,
    Verb::kPost,
    "/v1/projects/{project}/serviceAccounts/{account}:setIamPolicy",
    "iam.projects.serviceAccounts.setIamPolicy",
    "iam.serviceAccounts.setIamPolicy",
    "serviceAccounts/{account}"};
// Anybody signed in may ask what they may do.
inline constexpr Method<TestAccountPermissions, TestPermissionsBody> kTestAccountPermissions{
    kService, Verb::kPost, "/v1/projects/{project}/serviceAccounts/{account}:testIamPermissions",
    "iam.projects.serviceAccounts.testIamPermissions"};

}  // namespace fireweed::api::iam

namespace fireweed {
template <>
inline constexpr std::string_view kTypeName<api::iam::ServiceAccount> = "ServiceAccount";
template <>
inline constexpr auto kFields<api::iam::ServiceAccount> = [](auto...) {
  return Fields{F("name", &api::iam::ServiceAccount::name, kOutput),
                F("projectId", &api::iam::ServiceAccount::projectId, kOutput),
                F("uniqueId", &api::iam::ServiceAccount::uniqueId, kOutput),
                F("email", &api::iam::ServiceAccount::email, kOutput),
                F("displayName", &api::iam::ServiceAccount::displayName),
                F("etag", &api::iam::ServiceAccount::etag),
                F("description", &api::iam::ServiceAccount::description),
                F("oauth2ClientId", &api::iam::ServiceAccount::oauth2ClientId, kOutput),
                F("disabled", &api::iam::ServiceAccount::disabled, kOutput),
                F("created", &api::iam::ServiceAccount::created, kStored)};
};
template <>
inline constexpr std::string_view kTypeName<api::iam::CreateServiceAccountBody> =
    "CreateServiceAccountRequest";
template <>
inline constexpr auto kFields<api::iam::CreateServiceAccountBody> = [](auto...) {
  return Fields{F("accountId", &api::iam::CreateServiceAccountBody::accountId, kRequired),
                F("serviceAccount", &api::iam::CreateServiceAccountBody::serviceAccount)};
};
template <>
inline constexpr auto kFields<api::iam::CreateServiceAccount> = [](auto...) {
  return Fields{F("project", &api::iam::CreateServiceAccount::project, kPath),
                F("body", &api::iam::CreateServiceAccount::body, kBody)};
};
template <>
inline constexpr auto kFields<api::iam::ListServiceAccounts> = [](auto...) {
  return Fields{F("project", &api::iam::ListServiceAccounts::project, kPath),
                F("pageSize", &api::iam::ListServiceAccounts::pageSize, kQuery),
                F("pageToken", &api::iam::ListServiceAccounts::pageToken, kQuery)};
};
template <>
inline constexpr std::string_view kTypeName<api::iam::ServiceAccountList> =
    "ListServiceAccountsResponse";
template <>
inline constexpr auto kFields<api::iam::ServiceAccountList> = [](auto...) {
  return Fields{F("accounts", &api::iam::ServiceAccountList::accounts),
                F("nextPageToken", &api::iam::ServiceAccountList::nextPageToken)};
};
template <>
inline constexpr auto kFields<api::iam::GetServiceAccount> = [](auto...) {
  return Fields{F("project", &api::iam::GetServiceAccount::project, kPath),
                F("account", &api::iam::GetServiceAccount::account, kPath)};
};
template <>
inline constexpr std::string_view kTypeName<api::iam::PatchServiceAccountBody> =
    "PatchServiceAccountRequest";
template <>
inline constexpr auto kFields<api::iam::PatchServiceAccountBody> = [](auto...) {
  return Fields{F("serviceAccount", &api::iam::PatchServiceAccountBody::serviceAccount),
                F("updateMask", &api::iam::PatchServiceAccountBody::updateMask)};
};
template <>
inline constexpr auto kFields<api::iam::PatchServiceAccount> = [](auto...) {
  return Fields{F("project", &api::iam::PatchServiceAccount::project, kPath),
                F("account", &api::iam::PatchServiceAccount::account, kPath),
                F("body", &api::iam::PatchServiceAccount::body, kBody)};
};
template <>
inline constexpr auto kFields<api::iam::UpdateServiceAccount> = [](auto...) {
  return Fields{F("project", &api::iam::UpdateServiceAccount::project, kPath),
                F("account", &api::iam::UpdateServiceAccount::account, kPath),
                F("body", &api::iam::UpdateServiceAccount::body, kBody)};
};
template <>
inline constexpr auto kFields<api::iam::SetAccountPolicy> = [](auto...) {
  return Fields{F("project", &api::iam::SetAccountPolicy::project, kPath),
                F("account", &api::iam::SetAccountPolicy::account, kPath),
                F("body", &api::iam::SetAccountPolicy::body, kBody)};
};
template <>
inline constexpr auto kFields<api::iam::TestAccountPermissions> = [](auto...) {
  return Fields{F("project", &api::iam::TestAccountPermissions::project, kPath),
                F("account", &api::iam::TestAccountPermissions::account, kPath),
                F("body", &api::iam::TestAccountPermissions::body, kBody)};
};
}  // namespace fireweed
