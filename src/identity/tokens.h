// What for: bearer secrets. An access token is opaque, random (256 bits) and expires; a refresh token lasts until
//   it is revoked. The catalog holds their SHA-256 only: whoever reads the database cannot sign in.
// Who calls: the token endpoints, the metadata server, start-up; pool threads.
// May block: everything here waits for the catalog.
// Owns: nothing but the rows.
// A failure: Failure; a subject that is gone or disabled is kUnauthenticated.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/random.h"
#include "catalog/catalog.h"
#include "identity/records.h"

namespace fireweed::identity {

inline constexpr std::string_view kOwnerEmail = "owner@fireweed.local";
inline constexpr std::string_view kOwnerPrincipal = "user:owner@fireweed.local";

// Clocks differ and may step back: a token is taken this long past its expiry.
inline constexpr Duration kClockTolerance = std::chrono::minutes(5);
inline constexpr Duration kUsualLifetime = std::chrono::hours(1);

struct MintedToken {
  std::string token;  // the secret itself: goes to the requester and nowhere else
  Time issued, expires;
  // Seconds to live, a little less than the truth so that clients renew in time.
  int64_t ExpiresIn() const;
};

// The row of a token: SHA-256 in hex.
std::string TokenKey(std::string_view token);

class Tokens {
 public:
  Tokens(Catalog& catalog, const Clock& clock, Random& random)
      : catalog_(catalog), clock_(clock), random_(random) {}

  // Access tokens. No scopes means all. `label` shows in lists.
  MintedToken MintForUser(std::string_view email, const std::vector<std::string>& scopes,
                          Duration lifetime, std::string_view label = {});
  // kNotFound when there is no such account, kDenied when it is disabled.
  MintedToken MintForServiceAccount(std::string_view email, const std::vector<std::string>& scopes,
                                    Duration lifetime, std::string_view label = {});
  // From a refresh token; nullopt when it is none (any more). `scopes` may only narrow what it has.
  struct Refreshed {
    MintedToken access;
    std::string email;
    std::vector<std::string> scopes;
  };
  std::optional<Refreshed> Refresh(std::string_view refresh_token,
                                   const std::vector<std::string>& scopes);

  // The secret of a new refresh token.
  std::string IssueRefreshToken(std::string_view email, std::string_view label);
  // Either kind of token; false when it is none.
  bool Revoke(std::string_view token);
  // By the first digits of its key, as lists show them; false unless exactly one token begins so.
  bool RevokeById(std::string_view key_prefix);

  // The row of a live access token; expired ones (beyond the tolerance) and strangers are nullopt.
  std::optional<TokenRecord> Find(std::string_view token) const;

  // Makes the root policy, the local owner and a credential of theirs. `credential` is what the credential file
  // holds now (empty when there is none); the answer is what it should hold: an authorized_user JSON, the same
  // text while its refresh token is good. The caller writes it, mode 0600.
  std::string EnsureOwner(std::string_view credential);
  // A fresh authorized_user JSON for a user who exists.
  std::string IssueUserCredential(std::string_view email, std::string_view label);

 private:
  MintedToken Mint(Txn& txn, TokenRecord record, Duration lifetime) const;
  static bool Drop(Txn& txn, std::string_view key);
  void SweepExpired(Txn& txn, Time now) const;
  std::string Secret(std::string_view prefix) const;

  Catalog& catalog_;
  const Clock& clock_;
  Random& random_;
};

}  // namespace fireweed::identity
