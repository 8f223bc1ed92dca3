#include "storage/kms_keys.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/bytes.h"
#include "identity/policies.h"

namespace fireweed::storage {
namespace {

using api::kms::CryptoKey;
using api::kms::KeyRing;

constexpr int kMaxPage = 1000, kUsualPage = 100;
constexpr std::string_view kEncrypt = "cloudkms.cryptoKeyVersions.useToEncrypt";

template <class Request>
std::string LocationName(const Request& request) {
  return fmt::format("projects/{}/locations/{}", request.project, request.location);
}
template <class Request>
std::string RingName(const Request& request) {
  return fmt::format("{}/keyRings/{}", LocationName(request), request.ring);
}
template <class Request>
std::string KeyName(const Request& request) {
  return fmt::format("{}/cryptoKeys/{}", RingName(request), request.key);
}

// 1 to 63 letters, digits, '_' and '-', as the original wants it.
void CheckId(std::string_view id, std::string_view what) {
  bool sound = !id.empty() && id.size() <= 63 && std::all_of(id.begin(), id.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-';
  });
  if (!sound) {
    throw Failure(Code::kInvalid,
                  fmt::format("{} must match the pattern [a-zA-Z0-9_-]{{1,63}}.", what));
  }
}

template <class Resource>
Row<Resource> Load(Txn& txn, const std::string& name, std::string_view what) {
  std::optional<Row<Resource>> row = txn.Find<Resource>(name);
  if (!row) throw Failure(Code::kNotFound, fmt::format("{} {} not found.", what, name));
  return *std::move(row);
}

// Names under a prefix, a page of them; the token is the last name's end.
template <class Resource>
std::vector<Resource> Page(Txn& txn, const std::string& prefix, int32_t size,
                           const std::string& token, std::string& next) {
  std::optional<std::string> after = Base64Decode(token);
  if (!after) throw Failure(Code::kInvalid, "Invalid page token.");
  int limit = size <= 0 ? kUsualPage : std::min(size, kMaxPage);
  ScanRange range;
  range.prefix = prefix;
  if (!after->empty()) range.after = prefix + *after;
  range.limit = limit + 1;
  std::vector<Resource> out;
  for (Row<Resource>& row : txn.Scan<Resource>(range)) out.push_back(std::move(row.value));
  next.clear();
  if (out.size() > static_cast<size_t>(limit)) {
    out.resize(static_cast<size_t>(limit));
    next = Base64Encode(out.back().name.substr(prefix.size()), Base64::kUrl);
  }
  return out;
}

}  // namespace

std::string StorageAgent(int64_t project_number) {
  return fmt::format("service-{}@gs-project-accounts.iam.gserviceaccount.com", project_number);
}

std::string KmsKeyVersion(std::string_view key) {
  return key.empty() ? std::string() : fmt::format("{}/cryptoKeyVersions/1", key);
}

void KmsKeys::Serve(net::Router& router) {
  router.On(api::kms::kCreateKeyRing, this, &KmsKeys::CreateRing);
  router.On(api::kms::kListKeyRings, this, &KmsKeys::ListRings);
  router.On(api::kms::kGetKeyRing, this, &KmsKeys::GetRing);
  router.On(api::kms::kCreateCryptoKey, this, &KmsKeys::CreateKey);
  router.On(api::kms::kListCryptoKeys, this, &KmsKeys::ListKeys);
  router.On(api::kms::kGetCryptoKey, this, &KmsKeys::GetKey);
  router.On(api::kms::kGetKeyPolicy, this, &KmsKeys::GetPolicy);
  router.On(api::kms::kSetKeyPolicy, this, &KmsKeys::SetPolicy);
}

void KmsKeys::RequireUsable(std::string_view key, int64_t project_number) const {
  if (key.empty()) return;
  std::string agent = StorageAgent(project_number);
  bool there = Query(catalog_, [&](Txn& txn) { return txn.Find<CryptoKey>(key).has_value(); });
  net::Caller store{"serviceAccount:" + agent, agent, "", {}};
  if (!there || !access_.May(store, kEncrypt, key)) {
    throw Failure(Code::kDenied, "forbidden",
                  fmt::format("Permission denied on Cloud KMS key. Please ensure that your Cloud "
                              "Storage service account has been authorized to use this key. The "
                              "service account is {}.",
                              agent));
  }
}

KeyRing KmsKeys::CreateRing(const api::kms::CreateKeyRing& request, const net::Call& call) {
  CheckId(request.keyRingId, "keyRingId");
  return Update(catalog_, "key ring", [&](Txn& txn) {
    projects_.Ensure(txn, request.project, call.caller);
    KeyRing ring{fmt::format("{}/keyRings/{}", LocationName(request), request.keyRingId),
                 clock_.Now()};
    if (txn.Find<KeyRing>(ring.name)) {
      throw Failure(Code::kExists, fmt::format("KeyRing {} already exists.", ring.name));
    }
    txn.Put(ring.name, ring);
    return ring;
  });
}

KeyRing KmsKeys::GetRing(const api::kms::NameKeyRing& request, const net::Call&) {
  return Query(catalog_,
               [&](Txn& txn) { return Load<KeyRing>(txn, RingName(request), "KeyRing").value; });
}

api::kms::KeyRingList KmsKeys::ListRings(const api::kms::ListKeyRings& request, const net::Call&) {
  api::kms::KeyRingList list;
  catalog_.Read([&](Txn& txn) {
    list.keyRings = Page<KeyRing>(txn, LocationName(request) + "/keyRings/", request.pageSize,
                                  request.pageToken, list.nextPageToken);
  });
  return list;
}

CryptoKey KmsKeys::CreateKey(const api::kms::CreateCryptoKey& request, const net::Call&) {
  CheckId(request.cryptoKeyId, "cryptoKeyId");
  if (request.body.purpose != "ENCRYPT_DECRYPT") {
    throw Failure(Code::kInvalid, "The purpose of a key here is ENCRYPT_DECRYPT.");
  }
  return Update(catalog_, "key", [&](Txn& txn) {
    Load<KeyRing>(txn, RingName(request), "KeyRing");
    CryptoKey key = request.body;
    key.name = fmt::format("{}/cryptoKeys/{}", RingName(request), request.cryptoKeyId);
    if (txn.Find<CryptoKey>(key.name)) {
      throw Failure(Code::kExists, fmt::format("CryptoKey {} already exists.", key.name));
    }
    key.createTime = clock_.Now();
    key.primary = {KmsKeyVersion(key.name), "ENABLED", "SOFTWARE", "GOOGLE_SYMMETRIC_ENCRYPTION",
                   key.createTime};
    txn.Put(key.name, key);
    identity::CreatePolicy(txn, key.name, "projects/" + request.project);
    return key;
  });
}

CryptoKey KmsKeys::GetKey(const api::kms::NameCryptoKey& request, const net::Call&) {
  return Query(catalog_,
               [&](Txn& txn) { return Load<CryptoKey>(txn, KeyName(request), "CryptoKey").value; });
}

api::kms::CryptoKeyList KmsKeys::ListKeys(const api::kms::ListCryptoKeys& request,
                                          const net::Call&) {
  api::kms::CryptoKeyList list;
  catalog_.Read([&](Txn& txn) {
    Load<KeyRing>(txn, RingName(request), "KeyRing");
    list.cryptoKeys = Page<CryptoKey>(txn, RingName(request) + "/cryptoKeys/", request.pageSize,
                                      request.pageToken, list.nextPageToken);
  });
  return list;
}

api::Policy KmsKeys::GetPolicy(const api::kms::NameCryptoKey& request, const net::Call&) {
  return Query(catalog_, [&](Txn& txn) {
    Load<CryptoKey>(txn, KeyName(request), "CryptoKey");
    return identity::GetPolicy(txn, KeyName(request));
  });
}

api::Policy KmsKeys::SetPolicy(const api::kms::SetKeyPolicy& request, const net::Call&) {
  return Update(catalog_, "key policy", [&](Txn& txn) {
    Load<CryptoKey>(txn, KeyName(request), "CryptoKey");
    return identity::SetPolicy(txn, KeyName(request), request.body.policy);
  });
}

}  // namespace fireweed::storage
