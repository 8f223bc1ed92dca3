// Cloud KMS v1, as far as the object store needs it: key rings and keys as names with policies.
// There is no key material here and nothing is encrypted or decrypted by these methods: a key says
// under whose name an object is kept, and whether the store may use that name.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "api/method.h"
#include "api/policy.h"

namespace fireweed::api::kms {

inline constexpr std::string_view kHosts[] = {"cloudkms.googleapis.com"};
inline constexpr Service kService{.name = "cloudkms",
                                  .version = "v1",
                                  .title = "Cloud Key Management Service (KMS) API",
                                  .hosts = kHosts,
                                  .path_names = PathNames::kByResource};

struct KeyRing {
  std::string name;  // projects/P/locations/L/keyRings/R
  Time createTime;
};
struct CryptoKeyVersion {
  std::string name;  // KEY/cryptoKeyVersions/1
  std::string state, protectionLevel, algorithm;
  Time createTime;
};
struct CryptoKey {
  std::string name;  // RING/cryptoKeys/K
  std::string purpose;
  Time createTime;
  CryptoKeyVersion primary;
  std::map<std::string, std::string> labels;
};

struct CreateKeyRing {
  std::string project, location, keyRingId;
  KeyRing body;
};
struct ListKeyRings {
  std::string project, location, pageToken;
  int32_t pageSize = 0;
};
struct KeyRingList {
  std::vector<KeyRing> keyRings;
  std::string nextPageToken;
};
struct NameKeyRing {
  std::string project, location, ring;
};
struct CreateCryptoKey {
  std::string project, location, ring, cryptoKeyId;
  CryptoKey body;
};
struct ListCryptoKeys {
  std::string project, location, ring, pageToken;
  int32_t pageSize = 0;
};
struct CryptoKeyList {
  std::vector<CryptoKey> cryptoKeys;
  std::string nextPageToken;
};
struct NameCryptoKey {
  std::string project, location, ring, key;
};
struct SetKeyPolicy {
  std::string project, location, ring, key;
  SetIamPolicyBody body;
};

inline constexpr Method<CreateKeyRing, KeyRing> kCreateKeyRing{
    kService,
    Verb::kPost,
    "/v1/projects/{project}/locations/{location}/keyRings",
    "cloudkms.projects.locations.keyRings.create",
    "cloudkms.keyRings.create",
    "projects/{project}"};
inline constexpr Method<ListKeyRings, KeyRingList> kListKeyRings{
    kService,
    Verb::kGet,
    "/v1/projects/{project}/locations/{location}/keyRings",
    "cloudkms.projects.locations.keyRings.list",
    "cloudkms.keyRings.list",
    "projects/{project}"};
inline constexpr Method<NameKeyRing, KeyRing> kGetKeyRing{
    kService,
    Verb::kGet,
    "/v1/projects/{project}/locations/{location}/keyRings/{ring}",
    "cloudkms.projects.locations.keyRings.get",
    "cloudkms.keyRings.get",
    "projects/{project}"};
inline constexpr Method<CreateCryptoKey, CryptoKey> kCreateCryptoKey{
    kService,
    Verb::kPost,
    "/v1/projects/{project}/locations/{location}/keyRings/{ring}/cryptoKeys",
    "cloudkms.projects.locations.keyRings.cryptoKeys.create",
    "cloudkms.cryptoKeys.create",
    "projects/{project}"};
inline constexpr Method<ListCryptoKeys, CryptoKeyList> kListCryptoKeys{
    kService,
    Verb::kGet,
    "/v1/projects/{project}/locations/{location}/keyRings/{ring}/cryptoKeys",
    "cloudkms.projects.locations.keyRings.cryptoKeys.list",
    "cloudkms.cryptoKeys.list",
    "projects/{project}"};
// What is done to one key is judged by the key's own policy, too.
inline constexpr std::string_view kKeyResource =
    "projects/{project}/locations/{location}/keyRings/{ring}/cryptoKeys/{key}";
inline constexpr Method<NameCryptoKey, CryptoKey> kGetCryptoKey{
    kService,
    Verb::kGet,
    "/v1/projects/{project}/locations/{location}/keyRings/{ring}/cryptoKeys/{key}",
    "cloudkms.projects.locations.keyRings.cryptoKeys.get",
    "cloudkms.cryptoKeys.get",
    kKeyResource};
inline constexpr Method<NameCryptoKey, Policy> kGetKeyPolicy{
    kService,
    Verb::kGet,
    "/v1/projects/{project}/locations/{location}/keyRings/{ring}/cryptoKeys/{key}:getIamPolicy",
    "cloudkms.projects.locations.keyRings.cryptoKeys.getIamPolicy",
    "cloudkms.cryptoKeys.getIamPolicy",
    kKeyResource};
inline constexpr Method<SetKeyPolicy, Policy> kSetKeyPolicy{
    kService,
    Verb::kPost,
    "/v1/projects/{project}/locations/{location}/keyRings/{ring}/cryptoKeys/{key}:setIamPolicy",
    "cloudkms.projects.locations.keyRings.cryptoKeys.setIamPolicy",
    "cloudkms.cryptoKeys.setIamPolicy",
    kKeyResource};

}  // namespace fireweed::api::kms

namespace fireweed {
template <>
inline constexpr std::string_view kTypeName<api::kms::KeyRing> = "KeyRing";
template <>
inline constexpr auto kFields<api::kms::KeyRing> = [](auto...) {
  return Fields{F("name", &api::kms::KeyRing::name, kOutput),
                F("createTime", &api::kms::KeyRing::createTime, kOutput)};
};
template <>
inline constexpr std::string_view kTypeName<api::kms::CryptoKeyVersion> = "CryptoKeyVersion";
template <>
inline constexpr auto kFields<api::kms::CryptoKeyVersion> = [](auto...) {
  return Fields{F("name", &api::kms::CryptoKeyVersion::name, kOutput),
                F("state", &api::kms::CryptoKeyVersion::state, kOutput),
                F("protectionLevel", &api::kms::CryptoKeyVersion::protectionLevel, kOutput),
                F("algorithm", &api::kms::CryptoKeyVersion::algorithm, kOutput),
                F("createTime", &api::kms::CryptoKeyVersion::createTime, kOutput)};
};
template <>
inline constexpr std::string_view kTypeName<api::kms::CryptoKey> = "CryptoKey";
template <>
inline constexpr auto kFields<api::kms::CryptoKey> = [](auto...) {
  return Fields{F("name", &api::kms::CryptoKey::name, kOutput),
                F("purpose", &api::kms::CryptoKey::purpose),
                F("createTime", &api::kms::CryptoKey::createTime, kOutput),
                F("primary", &api::kms::CryptoKey::primary, kOutput),
                F("labels", &api::kms::CryptoKey::labels)};
};
template <>
inline constexpr auto kFields<api::kms::CreateKeyRing> = [](auto...) {
  return Fields{F("project", &api::kms::CreateKeyRing::project, kPath),
                F("location", &api::kms::CreateKeyRing::location, kPath),
                F("keyRingId", &api::kms::CreateKeyRing::keyRingId, kQuery),
                F("body", &api::kms::CreateKeyRing::body, kBody)};
};
template <>
inline constexpr auto kFields<api::kms::ListKeyRings> = [](auto...) {
  return Fields{F("project", &api::kms::ListKeyRings::project, kPath),
                F("location", &api::kms::ListKeyRings::location, kPath),
                F("pageToken", &api::kms::ListKeyRings::pageToken, kQuery),
                F("pageSize", &api::kms::ListKeyRings::pageSize, kQuery)};
};
template <>
inline constexpr std::string_view kTypeName<api::kms::KeyRingList> = "ListKeyRingsResponse";
template <>
inline constexpr auto kFields<api::kms::KeyRingList> = [](auto...) {
  return Fields{F("keyRings", &api::kms::KeyRingList::keyRings),
                F("nextPageToken", &api::kms::KeyRingList::nextPageToken)};
};
template <>
inline constexpr auto kFields<api::kms::NameKeyRing> = [](auto...) {
  return Fields{F("project", &api::kms::NameKeyRing::project, kPath),
                F("location", &api::kms::NameKeyRing::location, kPath),
                F("ring", &api::kms::NameKeyRing::ring, kPath)};
};
template <>
inline constexpr auto kFields<api::kms::CreateCryptoKey> = [](auto...) {
  return Fields{F("project", &api::kms::CreateCryptoKey::project, kPath),
                F("location", &api::kms::CreateCryptoKey::location, kPath),
                F("ring", &api::kms::CreateCryptoKey::ring, kPath),
                F("cryptoKeyId", &api::kms::CreateCryptoKey::cryptoKeyId, kQuery),
                F("body", &api::kms::CreateCryptoKey::body, kBody)};
};
template <>
inline constexpr auto kFields<api::kms::ListCryptoKeys> = [](auto...) {
  return Fields{F("project", &api::kms::ListCryptoKeys::project, kPath),
                F("location", &api::kms::ListCryptoKeys::location, kPath),
                F("ring", &api::kms::ListCryptoKeys::ring, kPath),
                F("pageToken", &api::kms::ListCryptoKeys::pageToken, kQuery),
                F("pageSize", &api::kms::ListCryptoKeys::pageSize, kQuery)};
};
template <>
inline constexpr std::string_view kTypeName<api::kms::CryptoKeyList> = "ListCryptoKeysResponse";
template <>
inline constexpr auto kFields<api::kms::CryptoKeyList> = [](auto...) {
  return Fields{F("cryptoKeys", &api::kms::CryptoKeyList::cryptoKeys),
                F("nextPageToken", &api::kms::CryptoKeyList::nextPageToken)};
};
template <>
inline constexpr auto kFields<api::kms::NameCryptoKey> = [](auto...) {
  return Fields{F("project", &api::kms::NameCryptoKey::project, kPath),
                F("location", &api::kms::NameCryptoKey::location, kPath),
                F("ring", &api::kms::NameCryptoKey::ring, kPath),
                F("key", &api::kms::NameCryptoKey::key, kPath)};
};
template <>
inline constexpr auto kFields<api::kms::SetKeyPolicy> = [](auto...) {
  return Fields{F("project", &api::kms::SetKeyPolicy::project, kPath),
                F("location", &api::kms::SetKeyPolicy::location, kPath),
                F("ring", &api::kms::SetKeyPolicy::ring, kPath),
                F("key", &api::kms::SetKeyPolicy::key, kPath),
                F("body", &api::kms::SetKeyPolicy::body, kBody)};
};
}  // namespace fireweed
