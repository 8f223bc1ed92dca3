#include "identity/assertion.h"

#include <fmt/format.h>

#include "identity/records.h"

namespace fireweed::identity {
namespace {

using api::iam::ServiceAccount;

struct Candidates {
  std::optional<ServiceAccount> account;
  std::vector<RsaKey> keys;
};

// The account's live keys, or the one named; the service's own key for the account counts as one.
Candidates Load(const Catalog& catalog, std::string_view email, std::string_view kid, Time now) {
  Candidates found;
  std::vector<std::string> public_pems, private_pems;
  catalog.Read([&](Txn& txn) {
    public_pems.clear();
    private_pems.clear();
    auto account = txn.Find<ServiceAccount>(email);
    if (!account) return;
    found.account = account->value;
    txn.ForEach<AccountKeyRecord>({.prefix = fmt::format("{}/", email)}, [&](const auto& row) {
      const AccountKeyRecord& key = row.value;
      if ((kid.empty() || key.id == kid) && key.valid_before >= now) {
        public_pems.push_back(key.public_pem);
      }
    });
    auto own = txn.Find<SigningKeyRecord>(email);
    if (own && (kid.empty() || own->value.id == kid)) {
      private_pems.push_back(own->value.private_pem);
    }
  });
  for (const std::string& pem : public_pems) {
    if (std::optional<RsaKey> key = RsaKey::FromPublicPem(pem)) found.keys.push_back(*key);
  }
  for (const std::string& pem : private_pems) {
    if (std::optional<RsaKey> key = RsaKey::FromPrivatePem(pem)) found.keys.push_back(*key);
  }
  return found;
}

bool AnyVerifies(const std::vector<RsaKey>& keys, std::string_view text,
                 std::string_view signature) {
  for (const RsaKey& key : keys) {
    if (key.Verify(text, signature)) return true;
  }
  return false;
}

Error Bad(std::string message) { return {Code::kUnauthenticated, "", std::move(message)}; }

}  // namespace

std::vector<std::string> SplitScopes(std::string_view text) {
  std::vector<std::string> scopes;
  while (!text.empty()) {
    size_t end = text.find(' ');
    if (end != 0) scopes.emplace_back(text.substr(0, end));
    text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
  }
  return scopes;
}

Result<ServiceAccount> VerifyAssertion(const Catalog& catalog, const Jwt& jwt, Time now) {
  const JwtClaims& claims = jwt.claims;
  if (claims.iss.empty()) return Bad("Invalid JWT: 'iss' must name a service account.");
  Candidates found = Load(catalog, claims.iss, jwt.header.kid, now);
  // Whether the account or the key is missing is nobody's business who cannot sign for it.
  if (!found.account || !AnyVerifies(found.keys, jwt.signed_text, jwt.signature)) {
    return Bad("Invalid JWT Signature.");
  }
  if (found.account->disabled.value_or(false)) return Bad("Invalid grant: account is disabled.");
  if (!claims.sub.empty() && claims.sub != claims.iss) {
    return Error{Code::kDenied, "unauthorized_client",
                 "A service account may sign for itself only: 'sub' must be 'iss'."};
  }
  Result<> times = CheckTimes(claims, now);
  if (!times) return Bad(times.error().message);
  return *std::move(found.account);
}

bool VerifyAccountSignature(const Catalog& catalog, std::string_view email, std::string_view text,
                            std::string_view signature, Time now) {
  Candidates found = Load(catalog, email, "", now);
  return found.account && !found.account->disabled.value_or(false) &&
         AnyVerifies(found.keys, text, signature);
}

}  // namespace fireweed::identity
