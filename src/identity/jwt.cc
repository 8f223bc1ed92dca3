#include "identity/jwt.h"

#include <algorithm>
#include <cmath>

#include "base/bytes.h"
#include "describe/json_codec.h"
#include "identity/tokens.h"

namespace fireweed {

template <>
inline constexpr auto kFields<identity::JwtHeader> = [](auto...) {
  return Fields{F("alg", &identity::JwtHeader::alg), F("kid", &identity::JwtHeader::kid),
                F("typ", &identity::JwtHeader::typ)};
};
template <>
inline constexpr auto kFields<identity::JwtClaims> = [](auto...) {
  return Fields{F("iss", &identity::JwtClaims::iss),
                F("sub", &identity::JwtClaims::sub),
                F("aud", &identity::JwtClaims::aud),
                F("scope", &identity::JwtClaims::scope),
                F("target_audience", &identity::JwtClaims::target_audience),
                F("email", &identity::JwtClaims::email),
                F("azp", &identity::JwtClaims::azp),
                F("iat", &identity::JwtClaims::iat),
                F("exp", &identity::JwtClaims::exp)};
};

// Something to decode a bare list or string into.
struct AudienceList {
  std::vector<std::string> aud;
};
struct AudienceString {
  std::string aud;
};
template <>
inline constexpr auto kFields<AudienceList> =
    [](auto...) { return Fields{F("aud", &AudienceList::aud)}; };
template <>
inline constexpr auto kFields<AudienceString> =
    [](auto...) { return Fields{F("aud", &AudienceString::aud)}; };

namespace identity {
namespace {

constexpr size_t kMostBytes =
    16 << 10;  // a header of this size is refused before anything is decoded
constexpr double kLongestLifetimeSeconds = 3600;
constexpr double kToleranceSeconds =
    std::chrono::duration_cast<std::chrono::seconds>(kClockTolerance).count();

Error Malformed(std::string what) {
  return {Code::kInvalid, "", "Invalid JWT: " + std::move(what)};
}

}  // namespace

std::vector<std::string> JwtClaims::Audiences() const {
  if (aud.text.empty()) return {};
  std::string wrapped = "{\"aud\":" + aud.text + "}";
  try {
    if (aud.text[0] == '[') return DecodeJson<AudienceList>(wrapped).aud;
    return {DecodeJson<AudienceString>(wrapped).aud};
  } catch (const Failure&) {
    return {};  // a number, a list of lists: no audience that anybody could match
  }
}

bool JwtClaims::HasAudience(std::string_view audience) const {
  std::vector<std::string> all = Audiences();
  return std::find(all.begin(), all.end(), audience) != all.end();
}

Result<Jwt> ParseJwt(std::string_view text) {
  if (text.size() > kMostBytes) return Malformed("too long.");
  size_t first = text.find('.');
  size_t second = first == std::string_view::npos ? first : text.find('.', first + 1);
  if (second == std::string_view::npos || text.find('.', second + 1) != std::string_view::npos) {
    return Malformed("must be three parts joined by dots.");
  }
  std::optional<std::string> header = Base64Decode(text.substr(0, first));
  std::optional<std::string> claims = Base64Decode(text.substr(first + 1, second - first - 1));
  std::optional<std::string> signature = Base64Decode(text.substr(second + 1));
  if (!header || !claims || !signature) return Malformed("parts must be base64url.");
  Jwt jwt;
  try {
    jwt.header = DecodeJson<JwtHeader>(*header);
    jwt.claims = DecodeJson<JwtClaims>(*claims);
  } catch (const Failure& failure) {
    return Malformed(failure.error().message);
  }
  if (jwt.header.alg != "RS256") return Malformed("the algorithm must be RS256.");
  jwt.signed_text = std::string(text.substr(0, second));
  jwt.signature = *std::move(signature);
  return jwt;
}

bool SignatureIsGood(const Jwt& jwt, const RsaKey& key) {
  return key.Verify(jwt.signed_text, jwt.signature);
}

Result<> CheckTimes(const JwtClaims& claims, Time now) {
  if (!claims.iat || !claims.exp || !std::isfinite(*claims.iat) || !std::isfinite(*claims.exp)) {
    return Malformed("'iat' and 'exp' must be there.");
  }
  double seconds = static_cast<double>(ToMicros(now)) / 1e6;
  if (*claims.exp + kToleranceSeconds < seconds) return Malformed("it has expired; check 'exp'.");
  if (*claims.iat - kToleranceSeconds > seconds) {
    return Malformed("it is issued in the future; check 'iat' and the clock.");
  }
  if (*claims.exp - *claims.iat > kLongestLifetimeSeconds + kToleranceSeconds) {
    return Malformed("it must be a short-lived token (60 minutes); check 'iat' and 'exp'.");
  }
  return Done{};
}

std::string SignJwt(std::string_view claims_json, std::string_view kid, const RsaKey& key) {
  JwtHeader header{.alg = "RS256", .typ = "JWT", .kid = std::string(kid)};
  std::string text = Base64Encode(EncodeJson(header), Base64::kUrl) + "." +
                     Base64Encode(claims_json, Base64::kUrl);
  return text + "." + Base64Encode(key.Sign(text), Base64::kUrl);
}

}  // namespace identity
}  // namespace fireweed
