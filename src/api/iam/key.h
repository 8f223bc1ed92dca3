// IAM v1: keys of service accounts.
#pragma once

#include <string>
#include <vector>

#include "api/iam/service_account.h"

namespace fireweed::api::iam {

struct ServiceAccountKey {
  std::string name;  // projects/P/serviceAccounts/EMAIL/keys/ID
  std::string privateKeyType;
  std::string keyAlgorithm;
  Bytes privateKeyData;  // the JSON key file; in the reply to create only
  Bytes publicKeyData;   // PEM, where asked for
  Time validAfterTime, validBeforeTime;
  std::string keyOrigin, keyType;
};

struct CreateKeyBody {
  std::string privateKeyType, keyAlgorithm;
};
struct CreateKey {
  std::string project, account;
  CreateKeyBody body;
};
struct ListKeys {
  std::string project, account;
  std::vector<std::string> keyTypes;
};
struct KeyList {
  std::vector<ServiceAccountKey> keys;
};
struct GetKey {
  std::string project, account, key;
  std::string publicKeyType;
};

inline constexpr Method<CreateKey, ServiceAccountKey> kCreateKey{
    kService,
    Verb::kPost,
    "/v1/projects/{project}/serviceAccounts/{account}/keys",
    "iam.projects.serviceAccounts.keys.create",
    "iam.serviceAccountKeys.create",
    "serviceAccounts/{account}"};
inline constexpr Method<ListKeys, KeyList> kListKeys{
    kService,
    Verb::kGet,
    "/v1/projects/{project}/serviceAccounts/{account}/keys",
    "iam.projects.serviceAccounts.keys.list",
    "iam.serviceAccountKeys.list",
    "serviceAccounts/{account}"};
inline constexpr Method<GetKey, ServiceAccountKey> kGetKey{
    kService,
    Verb::kGet,
    "/v1/projects/{project}/serviceAccounts/{account}/keys/{key}",
    "iam.projects.serviceAccounts.keys.get",
    "iam.serviceAccountKeys.get",
    "serviceAccounts/{account}"};
inline constexpr Method<GetKey, Empty> kDeleteKey{
    kService,
    Verb::kDelete,
    "/v1/projects/{project}/serviceAccounts/{account}/keys/{key}",
    "iam.projects.serviceAccounts.keys.delete",
    "iam.serviceAccountKeys.delete",
    "serviceAccounts/{account}"};

}  // namespace fireweed::api::iam

namespace fireweed {
template <>
inline constexpr std::string_view kTypeName<api::iam::ServiceAccountKey> = "ServiceAccountKey";
template <>
inline constexpr auto kFields<api::iam::ServiceAccountKey> = [](auto...) {
  return Fields{F("name", &api::iam::ServiceAccountKey::name),
                F("privateKeyType", &api::iam::ServiceAccountKey::privateKeyType),
                F("keyAlgorithm", &api::iam::ServiceAccountKey::keyAlgorithm),
                F("privateKeyData", &api::iam::ServiceAccountKey::privateKeyData),
                F("publicKeyData", &api::iam::ServiceAccountKey::publicKeyData),
                F("validAfterTime", &api::iam::ServiceAccountKey::validAfterTime),
                F("validBeforeTime", &api::iam::ServiceAccountKey::validBeforeTime),
                F("keyOrigin", &api::iam::ServiceAccountKey::keyOrigin),
                F("keyType", &api::iam::ServiceAccountKey::keyType)};
};
template <>
inline constexpr std::string_view kTypeName<api::iam::CreateKeyBody> =
    "CreateServiceAccountKeyRequest";
template <>
inline constexpr auto kFields<api::iam::CreateKeyBody> = [](auto...) {
  return Fields{F("privateKeyType", &api::iam::CreateKeyBody::privateKeyType),
                F("keyAlgorithm", &api::iam::CreateKeyBody::keyAlgorithm)};
};
template <>
inline constexpr auto kFields<api::iam::CreateKey> = [](auto...) {
  return Fields{F("project", &api::iam::CreateKey::project, kPath),
                F("account", &api::iam::CreateKey::account, kPath),
                F("body", &api::iam::CreateKey::body, kBody)};
};
template <>
inline constexpr auto kFields<api::iam::ListKeys> = [](auto...) {
  return Fields{F("project", &api::iam::ListKeys::project, kPath),
                F("account", &api::iam::ListKeys::account, kPath),
                F("keyTypes", &api::iam::ListKeys::keyTypes, kQuery)};
};
template <>
inline constexpr std::string_view kTypeName<api::iam::KeyList> = "ListServiceAccountKeysResponse";
template <>
inline constexpr auto kFields<api::iam::KeyList> =
    [](auto...) { return Fields{F("keys", &api::iam::KeyList::keys)}; };
template <>
inline constexpr auto kFields<api::iam::GetKey> = [](auto...) {
  return Fields{F("project", &api::iam::GetKey::project, kPath),
                F("account", &api::iam::GetKey::account, kPath),
                F("key", &api::iam::GetKey::key, kPath),
                F("publicKeyType", &api::iam::GetKey::publicKeyType, kQuery)};
};
}  // namespace fireweed
