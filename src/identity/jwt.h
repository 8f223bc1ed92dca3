// JSON Web Tokens with RS256, the only algorithm taken: "none" and HMAC by a public key are refused by name.
// Any thread; nothing blocks.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "describe/type.h"
#include "identity/rsa_key.h"

namespace fireweed::identity {

struct JwtHeader {
  std::string alg, typ, kid;
};

// Claims that anybody here reads. Times are seconds since 1970.
struct JwtClaims {
  std::string iss, sub, scope, target_audience, email, azp;
  Json aud;  // a string or a list of strings
  std::optional<double> iat, exp;

  bool HasAudience(std::string_view audience) const;
  std::vector<std::string> Audiences() const;
};

struct Jwt {
  JwtHeader header;
  JwtClaims claims;
  std::string signed_text;  // "header.claims", still encoded
  std::string signature;    // raw
};

// Takes a token apart without believing any of it. Errors are kInvalid and name what is wrong.
Result<Jwt> ParseJwt(std::string_view text);

bool SignatureIsGood(const Jwt& jwt, const RsaKey& key);

// Issued not later than now and not yet expired, both with kClockTolerance; lifetimes over an hour (and the
// tolerance) are refused. The error's message says which.
Result<> CheckTimes(const JwtClaims& claims, Time now);

// A compact token: `claims_json` signed by `key`, whose name is `kid`.
std::string SignJwt(std::string_view claims_json, std::string_view kid, const RsaKey& key);

}  // namespace fireweed::identity
