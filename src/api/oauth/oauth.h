// OAuth 2.0 as Google's clients speak it: token endpoints at all the addresses they know, tokeninfo, userinfo,
// revocation and the keys of id tokens. Field names are OAuth's.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "api/method.h"

namespace fireweed::api::oauth {

inline constexpr std::string_view kHosts[] = {"oauth2.googleapis.com", "www.googleapis.com",
                                              "accounts.google.com"};
inline constexpr Service kService{.name = "oauth2",
                                  .version = "v2",
                                  .title = "Google OAuth2 API",
                                  .hosts = kHosts,
                                  .anonymous = true};
inline constexpr std::string_view kUserHosts[] = {"www.googleapis.com", "oauth2.googleapis.com",
                                                  "openidconnect.googleapis.com"};
inline constexpr Service kUserService{.name = "userinfo",
                                      .version = "v2",
                                      .title = "OpenID Connect user",
                                      .hosts = kUserHosts,
                                      .documented = false};

struct TokenReply {
  std::string access_token;
  std::optional<int32_t> expires_in;  // seconds
  std::string scope;
  std::string token_type;
  std::string id_token;
};
struct OAuthError {
  std::string error, error_description;
};
// What the newer endpoints say; numbers are strings there.
struct TokenFacts {
  std::string azp, aud, sub, scope, exp, expires_in, email, email_verified, access_type;
};
// What the first version says.
struct TokenFactsV1 {
  std::string issued_to, audience, user_id, scope, email, access_type;
  int32_t expires_in = 0;
  bool verified_email = false;
};
struct User {
  std::string sub, id, email, name;
  bool email_verified = false, verified_email = false;
};
struct JsonWebKey {
  std::string kty, alg, use, kid, n, e;
};
struct JsonWebKeys {
  std::vector<JsonWebKey> keys;
};
struct GetAccountKeys {
  std::string account;
};

inline constexpr Method<Empty, TokenReply> kToken{kService, Verb::kPost, "/token", "oauth2.token"};
inline constexpr Method<Empty, TokenReply> kTokenV3{kService, Verb::kPost, "/oauth2/v3/token",
                                                    "oauth2.v3.token"};
inline constexpr Method<Empty, TokenReply> kTokenV4{kService, Verb::kPost, "/oauth2/v4/token",
                                                    "oauth2.v4.token"};
inline constexpr Method<Empty, TokenReply> kTokenOld{kService, Verb::kPost, "/o/oauth2/token",
                                                     "oauth2.o.token"};

inline constexpr Method<Empty, TokenFacts> kTokenInfo{kService, Verb::kGet, "/tokeninfo",
                                                      "oauth2.tokeninfo"};
inline constexpr Method<Empty, TokenFacts> kPostTokenInfo{kService, Verb::kPost, "/tokeninfo",
                                                          "oauth2.tokeninfo.post"};
inline constexpr Method<Empty, TokenFacts> kTokenInfoV3{
    kService, Verb::kGet, "/oauth2/v3/tokeninfo", "oauth2.v3.tokeninfo"};
inline constexpr Method<Empty, TokenFacts> kPostTokenInfoV3{
    kService, Verb::kPost, "/oauth2/v3/tokeninfo", "oauth2.v3.tokeninfo.post"};
inline constexpr Method<Empty, TokenFactsV1> kTokenInfoV1{
    kService, Verb::kGet, "/oauth2/v1/tokeninfo", "oauth2.v1.tokeninfo"};
inline constexpr Method<Empty, TokenFactsV1> kPostTokenInfoV1{
    kService, Verb::kPost, "/oauth2/v1/tokeninfo", "oauth2.v1.tokeninfo.post"};

inline constexpr Method<Empty, Empty> kRevoke{kService, Verb::kPost, "/revoke", "oauth2.revoke"};
inline constexpr Method<Empty, Empty> kGetRevoke{kService, Verb::kGet, "/revoke",
                                                 "oauth2.revoke.get"};
inline constexpr Method<Empty, Empty> kRevokeOld{kService, Verb::kPost, "/o/oauth2/revoke",
                                                 "oauth2.o.revoke"};
inline constexpr Method<Empty, Empty> kGetRevokeOld{kService, Verb::kGet, "/o/oauth2/revoke",
                                                    "oauth2.o.revoke.get"};

inline constexpr Method<Empty, JsonWebKeys> kCerts{kService, Verb::kGet, "/oauth2/v3/certs",
                                                   "oauth2.v3.certs"};
inline constexpr Method<Empty, Empty> kCertsV1{kService, Verb::kGet, "/oauth2/v1/certs",
                                               "oauth2.v1.certs"};
inline constexpr Method<GetAccountKeys, JsonWebKeys> kAccountKeys{
    kService, Verb::kGet, "/service_accounts/v1/jwk/{account}", "oauth2.accountKeys"};

inline constexpr Method<Empty, User> kUserInfoV1{kUserService, Verb::kGet, "/oauth2/v1/userinfo",
                                                 "oauth2.v1.userinfo"};
inline constexpr Method<Empty, User> kUserInfoV2{kUserService, Verb::kGet, "/oauth2/v2/userinfo",
                                                 "oauth2.v2.userinfo"};
inline constexpr Method<Empty, User> kUserInfoV3{kUserService, Verb::kGet, "/oauth2/v3/userinfo",
                                                 "oauth2.v3.userinfo"};
inline constexpr Method<Empty, User> kUserInfoOpenId{kUserService, Verb::kGet, "/v1/userinfo",
                                                     "openidconnect.userinfo"};

}  // namespace fireweed::api::oauth

namespace fireweed {
template <>
inline constexpr std::string_view kTypeName<api::oauth::TokenReply> = "TokenReply";
template <>
inline constexpr auto kFields<api::oauth::TokenReply> = [](auto...) {
  return Fields{F("access_token", &api::oauth::TokenReply::access_token),
                F("expires_in", &api::oauth::TokenReply::expires_in),
                F("scope", &api::oauth::TokenReply::scope),
                F("token_type", &api::oauth::TokenReply::token_type),
                F("id_token", &api::oauth::TokenReply::id_token)};
};
template <>
inline constexpr std::string_view kTypeName<api::oauth::OAuthError> = "OAuthError";
template <>
inline constexpr auto kFields<api::oauth::OAuthError> = [](auto...) {
  return Fields{F("error", &api::oauth::OAuthError::error),
                F("error_description", &api::oauth::OAuthError::error_description)};
};
template <>
inline constexpr std::string_view kTypeName<api::oauth::TokenFacts> = "Tokeninfo";
template <>
inline constexpr auto kFields<api::oauth::TokenFacts> = [](auto...) {
  return Fields{F("azp", &api::oauth::TokenFacts::azp),
                F("aud", &api::oauth::TokenFacts::aud),
                F("sub", &api::oauth::TokenFacts::sub),
                F("scope", &api::oauth::TokenFacts::scope),
                F("exp", &api::oauth::TokenFacts::exp),
                F("expires_in", &api::oauth::TokenFacts::expires_in),
                F("email", &api::oauth::TokenFacts::email),
                F("email_verified", &api::oauth::TokenFacts::email_verified),
                F("access_type", &api::oauth::TokenFacts::access_type)};
};
template <>
inline constexpr std::string_view kTypeName<api::oauth::TokenFactsV1> = "TokeninfoV1";
template <>
inline constexpr auto kFields<api::oauth::TokenFactsV1> = [](auto...) {
  return Fields{F("issued_to", &api::oauth::TokenFactsV1::issued_to),
                F("audience", &api::oauth::TokenFactsV1::audience),
                F("user_id", &api::oauth::TokenFactsV1::user_id),
                F("scope", &api::oauth::TokenFactsV1::scope),
                F("expires_in", &api::oauth::TokenFactsV1::expires_in),
                F("email", &api::oauth::TokenFactsV1::email),
                F("verified_email", &api::oauth::TokenFactsV1::verified_email),
                F("access_type", &api::oauth::TokenFactsV1::access_type)};
};
template <>
inline constexpr std::string_view kTypeName<api::oauth::User> = "Userinfo";
template <>
inline constexpr auto kFields<api::oauth::User> = [](auto...) {
  return Fields{F("sub", &api::oauth::User::sub),
                F("id", &api::oauth::User::id),
                F("email", &api::oauth::User::email),
                F("email_verified", &api::oauth::User::email_verified),
                F("verified_email", &api::oauth::User::verified_email),
                F("name", &api::oauth::User::name)};
};
template <>
inline constexpr std::string_view kTypeName<api::oauth::JsonWebKey> = "JsonWebKey";
template <>
inline constexpr auto kFields<api::oauth::JsonWebKey> = [](auto...) {
  return Fields{F("kty", &api::oauth::JsonWebKey::kty), F("alg", &api::oauth::JsonWebKey::alg),
                F("use", &api::oauth::JsonWebKey::use), F("kid", &api::oauth::JsonWebKey::kid),
                F("n", &api::oauth::JsonWebKey::n),     F("e", &api::oauth::JsonWebKey::e)};
};
template <>
inline constexpr std::string_view kTypeName<api::oauth::JsonWebKeys> = "JsonWebKeys";
template <>
inline constexpr auto kFields<api::oauth::JsonWebKeys> =
    [](auto...) { return Fields{F("keys", &api::oauth::JsonWebKeys::keys, kKeepEmpty)}; };
template <>
inline constexpr auto kFields<api::oauth::GetAccountKeys> =
    [](auto...) { return Fields{F("account", &api::oauth::GetAccountKeys::account, kPath)}; };
}  // namespace fireweed
