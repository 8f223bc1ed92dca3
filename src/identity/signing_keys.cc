#include "identity/signing_keys.h"

#include <fmt/format.h>

#include "describe/json_writer.h"
#include "identity/jwt.h"
#include "identity/records.h"

namespace fireweed::identity {
namespace {

constexpr std::string_view kIssuerName = "issuer";
constexpr int64_t kIdTokenSeconds = 3600;
constexpr size_t kKeyIdBytes = 20;

SigningKey Loaded(const SigningKeyRecord& record) {
  std::optional<RsaKey> key = RsaKey::FromPrivatePem(record.private_pem);
  if (!key) throw Failure(Code::kInternal, "a signing key in the catalog is damaged");
  return {record.id, *key, record.created};
}

}  // namespace

SigningKey SigningKeys::Obtain(std::string_view name, bool account) {
  auto known = Query(catalog_, [&](Txn& txn) { return txn.Find<SigningKeyRecord>(name); });
  if (known) return Loaded(known->value);
  SigningKeyRecord fresh{random_.Hex(kKeyIdBytes), RsaKey::Generate().PrivatePem(), clock_.Now()};
  return Loaded(Update(catalog_, "signing key", [&](Txn& txn) {
    if (account && !txn.Find<api::iam::ServiceAccount>(name)) {
      throw Failure(Code::kNotFound, fmt::format("Service account {} does not exist.", name));
    }
    // Somebody may have been first; theirs is the one.
    if (auto row = txn.Find<SigningKeyRecord>(name)) return row->value;
    txn.Put(name, fresh, 0);
    return fresh;
  }));
}

SigningKey SigningKeys::ForAccount(std::string_view email) { return Obtain(email, true); }
SigningKey SigningKeys::Issuer() { return Obtain(kIssuerName, false); }

std::string SigningKeys::IdToken(const IdTokenSubject& who, std::string_view audience) {
  int64_t now = ToSeconds(clock_.Now());
  JsonWriter claims;
  claims.BeginObject()
      .Field("iss", "https://accounts.google.com")
      .Field("aud", audience)
      .Field("azp", who.subject)
      .Field("sub", who.subject);
  if (who.show_email) claims.Field("email", who.email).Field("email_verified", true);
  if (!who.google.empty()) claims.Key("google").Raw(who.google);
  claims.Field("iat", now).Field("exp", now + kIdTokenSeconds).EndObject();
  SigningKey issuer = Issuer();
  return SignJwt(claims.text(), issuer.id, issuer.key);
}

}  // namespace fireweed::identity
