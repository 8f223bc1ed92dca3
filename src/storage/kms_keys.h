// What for: Cloud KMS key rings and keys as names with policies, and the question whether the
//   object store may use one. No key material: see api/kms/keys.h.
// Threads: handlers run on pool threads and may block for the catalog.
// A failure: Failure in the words of the API.
#pragma once

#include <string>
#include <string_view>

#include "api/kms/keys.h"
#include "base/clock.h"
#include "catalog/record.h"
#include "identity/projects.h"
#include "net/router.h"

namespace fireweed::storage {

class KmsKeys {
 public:
  KmsKeys(Catalog& catalog, const identity::Projects& projects, net::AccessControl& access,
          const Clock& clock)
      : catalog_(catalog), projects_(projects), access_(access), clock_(clock) {}

  void Serve(net::Router& router);

  // Nothing for an empty name. Otherwise the key must be there, and the store's own account of the
  // project with this number must be allowed to encrypt with it; else Failure (400, 403).
  void RequireUsable(std::string_view key, int64_t project_number) const;

 private:
  api::kms::KeyRing CreateRing(const api::kms::CreateKeyRing& request, const net::Call& call);
  api::kms::KeyRing GetRing(const api::kms::NameKeyRing& request, const net::Call& call);
  api::kms::KeyRingList ListRings(const api::kms::ListKeyRings& request, const net::Call& call);
  api::kms::CryptoKey CreateKey(const api::kms::CreateCryptoKey& request, const net::Call& call);
  api::kms::CryptoKey GetKey(const api::kms::NameCryptoKey& request, const net::Call& call);
  api::kms::CryptoKeyList ListKeys(const api::kms::ListCryptoKeys& request, const net::Call& call);
  api::Policy GetPolicy(const api::kms::NameCryptoKey& request, const net::Call& call);
  api::Policy SetPolicy(const api::kms::SetKeyPolicy& request, const net::Call& call);

  Catalog& catalog_;
  const identity::Projects& projects_;
  net::AccessControl& access_;
  const Clock& clock_;
};

// The account in whose name the store acts in a project; keys are opened to it.
std::string StorageAgent(int64_t project_number);
// What an object kept under a key shows: the key's version, of which there is one.
std::string KmsKeyVersion(std::string_view key);

}  // namespace fireweed::storage

namespace fireweed {
template <>
inline constexpr std::string_view kRecordKind<api::kms::KeyRing> = "kms_key_ring";
template <>
inline constexpr std::string_view kRecordKind<api::kms::CryptoKey> = "kms_key";
}  // namespace fireweed
