#include "identity/tokens.h"

#include <algorithm>

#include <fmt/format.h>

#include "api/oauth/authorized_user.h"
#include "base/bytes.h"
#include "base/checksum.h"
#include "describe/json_codec.h"
#include "identity/policies.h"

namespace fireweed::identity {
namespace {

constexpr std::string_view kAccessPrefix = "ya29.fw-";
constexpr std::string_view kRefreshPrefix = "1//fw-";
constexpr size_t kSecretBytes = 32;
constexpr int64_t kEarlySeconds = 1;
constexpr int kSweptPerMint = 8;  // more than one, so that a backlog shrinks

std::string ExpiryKey(Time expires, std::string_view token_key) {
  return fmt::format("{:017d}/{}", std::max<int64_t>(ToMicros(expires), 0), token_key);
}

UserRecord RequireUser(Txn& txn, std::string_view email) {
  std::optional<Row<UserRecord>> user = txn.Find<UserRecord>(email);
  if (!user) throw Failure(Code::kNotFound, fmt::format("User {} does not exist.", email));
  if (user->value.disabled) {
    throw Failure(Code::kDenied, fmt::format("User {} is disabled.", email));
  }
  return std::move(user->value);
}

api::iam::ServiceAccount RequireAccount(Txn& txn, std::string_view email) {
  auto account = txn.Find<api::iam::ServiceAccount>(email);
  if (!account) {
    throw Failure(Code::kNotFound, fmt::format("Service account {} does not exist.", email));
  }
  if (account->value.disabled.value_or(false)) {
    throw Failure(Code::kDenied, fmt::format("Service account {} is disabled.", email));
  }
  return std::move(account->value);
}

// What is asked for, cut down to what the refresh token has.
std::vector<std::string> Narrowed(const std::vector<std::string>& has,
                                  const std::vector<std::string>& asked) {
  if (asked.empty()) return has;
  if (has.empty()) return asked;
  std::vector<std::string> both;
  for (const std::string& scope : asked) {
    if (std::find(has.begin(), has.end(), scope) != has.end()) both.push_back(scope);
  }
  if (both.empty())
    throw Failure(Code::kInvalid, "invalid_scope", "None of the scopes is granted.");
  return both;
}

std::string CredentialJson(std::string_view email, std::string refresh_token) {
  AuthorizedUser user{.client_id = "fireweed-local.apps.googleusercontent.com",
                      .client_secret = "not-a-secret",  // clients insist on having one
                      .refresh_token = std::move(refresh_token),
                      .account = std::string(email)};
  return EncodeJson(user) + "\n";
}

std::string RefreshTokenIn(std::string_view credential) {
  try {
    return DecodeJson<AuthorizedUser>(credential).refresh_token;
  } catch (const Failure&) {
    return "";  // empty or damaged: a new one is written
  }
}

}  // namespace

int64_t MintedToken::ExpiresIn() const {
  return std::chrono::duration_cast<std::chrono::seconds>(expires - issued).count() - kEarlySeconds;
}

std::string TokenKey(std::string_view token) { return HexEncode(Hash(Digest::kSha256, token)); }

std::string Tokens::Secret(std::string_view prefix) const {
  std::string raw(kSecretBytes, '\0');
  random_.Fill(std::as_writable_bytes(std::span(raw)));
  return std::string(prefix) + Base64Encode(raw, Base64::kUrl);
}

void Tokens::SweepExpired(Txn& txn, Time now) const {
  ScanRange range{.until = ExpiryKey(now - kClockTolerance, ""), .limit = kSweptPerMint};
  for (const Row<ExpiryRecord>& row : txn.Scan<ExpiryRecord>(range)) {
    txn.Erase<TokenRecord>(row.key.substr(row.key.find('/') + 1));
    txn.Erase<ExpiryRecord>(row.key);
  }
}

MintedToken Tokens::Mint(Txn& txn, TokenRecord record, Duration lifetime) const {
  Time now = clock_.Now();
  MintedToken minted{Secret(kAccessPrefix), now, now + lifetime};
  record.issued = minted.issued;
  record.expires = minted.expires;
  std::string key = TokenKey(minted.token);
  txn.Put(key, record);
  txn.Put(ExpiryKey(record.expires, key), ExpiryRecord{});
  SweepExpired(txn, now);
  return minted;
}

MintedToken Tokens::MintForUser(std::string_view email, const std::vector<std::string>& scopes,
                                Duration lifetime, std::string_view label) {
  return Update(catalog_, "token for user", [&](Txn& txn) {
    UserRecord user = RequireUser(txn, email);
    return Mint(txn,
                {.principal = "user:" + user.email,
                 .email = user.email,
                 .subject = user.id,
                 .scopes = scopes,
                 .label = std::string(label)},
                lifetime);
  });
}

MintedToken Tokens::MintForServiceAccount(std::string_view email,
                                          const std::vector<std::string>& scopes, Duration lifetime,
                                          std::string_view label) {
  return Update(catalog_, "token for service account", [&](Txn& txn) {
    api::iam::ServiceAccount account = RequireAccount(txn, email);
    return Mint(txn,
                {.principal = "serviceAccount:" + account.email,
                 .email = account.email,
                 .subject = account.uniqueId,
                 .project = account.projectId,
                 .scopes = scopes,
                 .label = std::string(label)},
                lifetime);
  });
}

std::optional<Tokens::Refreshed> Tokens::Refresh(std::string_view refresh_token,
                                                 const std::vector<std::string>& scopes) {
  std::string key = TokenKey(refresh_token);
  return Update(catalog_, "token refresh", [&](Txn& txn) -> std::optional<Refreshed> {
    std::optional<Row<RefreshRecord>> row = txn.Find<RefreshRecord>(key);
    if (!row) return std::nullopt;
    const RefreshRecord& refresh = row->value;
    if (RequireUser(txn, refresh.email).id != refresh.subject) return std::nullopt;
    TokenRecord record{.principal = refresh.principal,
                       .email = refresh.email,
                       .subject = refresh.subject,
                       .scopes = Narrowed(refresh.scopes, scopes),
                       .label = refresh.label};
    return Refreshed{Mint(txn, record, kUsualLifetime), refresh.email, record.scopes};
  });
}

std::string Tokens::IssueRefreshToken(std::string_view email, std::string_view label) {
  std::string token = Secret(kRefreshPrefix);
  catalog_.Write("refresh token", [&](Txn& txn) {
    UserRecord user = RequireUser(txn, email);
    txn.Put(TokenKey(token), RefreshRecord{.principal = "user:" + user.email,
                                           .email = user.email,
                                           .subject = user.id,
                                           .issued = clock_.Now(),
                                           .label = std::string(label)});
  });
  return token;
}

bool Tokens::Drop(Txn& txn, std::string_view key) {
  if (std::optional<Row<TokenRecord>> row = txn.Find<TokenRecord>(key)) {
    txn.Erase<ExpiryRecord>(ExpiryKey(row->value.expires, key));
    return txn.Erase<TokenRecord>(key);
  }
  return txn.Erase<RefreshRecord>(key);
}

bool Tokens::Revoke(std::string_view token) {
  return Update(catalog_, "token revoke", [&](Txn& txn) { return Drop(txn, TokenKey(token)); });
}

bool Tokens::RevokeById(std::string_view key_prefix) {
  return Update(catalog_, "token revoke", [&](Txn& txn) {
    ScanRange range{.prefix = std::string(key_prefix), .limit = 2};
    std::vector<RawRow> found = txn.ScanRaw(kRecordKind<TokenRecord>, range);
    for (RawRow& row : txn.ScanRaw(kRecordKind<RefreshRecord>, range)) {
      found.push_back(std::move(row));
    }
    return found.size() == 1 && Drop(txn, found[0].key);
  });
}

std::optional<TokenRecord> Tokens::Find(std::string_view token) const {
  std::string key = TokenKey(token);
  auto row = Query(catalog_, [&](Txn& txn) { return txn.Find<TokenRecord>(key); });
  if (!row || row->value.expires + kClockTolerance < clock_.Now()) return std::nullopt;
  return std::move(row->value);
}

std::string Tokens::EnsureOwner(std::string_view credential) {
  std::string key = TokenKey(RefreshTokenIn(credential));
  bool good = Update(catalog_, "local owner", [&](Txn& txn) {
    if (!txn.Find<PolicyRecord>(kRootResource)) {
      CreatePolicy(txn, kRootResource, "", {{"roles/owner", {std::string(kOwnerPrincipal)}, {}}});
    }
    if (!txn.Find<UserRecord>(kOwnerEmail)) {
      txn.Put(kOwnerEmail, UserRecord{.id = random_.Hex(8),
                                      .email = std::string(kOwnerEmail),
                                      .name = "Local owner",
                                      .created = clock_.Now()});
    }
    std::optional<Row<RefreshRecord>> row = txn.Find<RefreshRecord>(key);
    return row && row->value.principal == kOwnerPrincipal &&
           row->value.subject == txn.Find<UserRecord>(kOwnerEmail)->value.id;
  });
  return good ? std::string(credential) : IssueUserCredential(kOwnerEmail, "local owner");
}

std::string Tokens::IssueUserCredential(std::string_view email, std::string_view label) {
  return CredentialJson(email, IssueRefreshToken(email, label));
}

}  // namespace fireweed::identity
