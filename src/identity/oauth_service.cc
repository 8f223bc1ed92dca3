#include "identity/oauth_service.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/bytes.h"
#include "describe/json_codec.h"
#include "describe/json_writer.h"
#include "identity/assertion.h"
#include "identity/jwt.h"
#include "net/errors.h"

namespace fireweed::identity {
namespace {

using api::oauth::JsonWebKey;
using api::oauth::TokenReply;
using net::Call;
using net::Response;

constexpr std::string_view kTokenUrls[] = {
    "https://oauth2.googleapis.com/token", "https://www.googleapis.com/oauth2/v4/token",
    "https://www.googleapis.com/oauth2/v3/token", "https://accounts.google.com/o/oauth2/token"};
constexpr int64_t kCertificateSeconds = int64_t{10} * 365 * 24 * 3600;

// OAuth's error word travels in the reason.
[[noreturn]] void Refuse(std::string error, std::string description, Code code = Code::kInvalid) {
  throw Failure(code, std::move(error), std::move(description));
}

void AddForm(std::map<std::string, std::string>& out, std::string_view text) {
  while (!text.empty()) {
    size_t end = text.find('&');
    std::string_view pair = text.substr(0, end);
    text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
    size_t equals = pair.find('=');
    if (equals == std::string_view::npos) continue;
    std::optional<std::string> name = PercentDecode(pair.substr(0, equals), Plus::kSpace);
    std::optional<std::string> value = PercentDecode(pair.substr(equals + 1), Plus::kSpace);
    if (!name || !value) Refuse("invalid_request", "Broken percent-encoding.");
    out[*std::move(name)] = *std::move(value);
  }
}

std::string Get(const std::map<std::string, std::string>& parameters, const std::string& name) {
  auto it = parameters.find(name);
  return it == parameters.end() ? "" : it->second;
}

std::string Need(const std::map<std::string, std::string>& parameters, const std::string& name) {
  std::string value = Get(parameters, name);
  if (value.empty()) Refuse("invalid_request", "Missing required parameter: " + name);
  return value;
}

template <class T>
Response Reply(const T& value, int status = 200) {
  Response response = net::JsonResponse(status, EncodeJson(value, Audience::kWire));
  response.Set("Cache-Control", "no-store");
  return response;
}

Response ErrorReply(const Error& error) {
  if (error.code == Code::kInternal || error.code == Code::kUnavailable ||
      error.code == Code::kExhausted) {
    return net::JsonError(error);
  }
  bool denied = error.code == Code::kDenied && error.reason == "unauthorized_client";
  std::string word = error.reason.empty() ? "invalid_grant" : error.reason;
  return Reply(api::oauth::OAuthError{word, error.message}, denied ? 401 : 400);
}

std::string Join(const std::vector<std::string>& scopes) {
  if (scopes.empty()) return "https://www.googleapis.com/auth/cloud-platform";
  return fmt::format("{}", fmt::join(scopes, " "));
}

JsonWebKey AsJwk(const std::string& id, const RsaKey& key) {
  return {.kty = "RSA",
          .alg = "RS256",
          .use = "sig",
          .kid = id,
          .n = Base64Encode(key.Modulus(), Base64::kUrl),
          .e = Base64Encode(key.Exponent(), Base64::kUrl)};
}

// Google's libraries put Google's address there, whatever the key file says; others the address they post to.
bool IsTokenUrl(const JwtClaims& claims, const Call& call) {
  std::string here = call.http.BaseUrl() + std::string(call.http.path);
  std::vector<std::string> audiences = claims.Audiences();
  return std::any_of(audiences.begin(), audiences.end(), [&](const std::string& audience) {
    return audience == here || std::find(std::begin(kTokenUrls), std::end(kTokenUrls), audience) !=
                                   std::end(kTokenUrls);
  });
}

TokenReply BearerReply(const MintedToken& minted) {
  return {.access_token = minted.token,
          .expires_in = static_cast<int32_t>(minted.ExpiresIn()),
          .token_type = "Bearer"};
}

}  // namespace

void OAuthService::OnForm(net::Router& router, const api::MethodEntry& method,
                          std::function<Response(const Parameters&, const Call&)> function) {
  router.OnRaw(method, [function = std::move(function)](const Call& call) -> net::Answer {
    try {
      Parameters parameters;
      AddForm(parameters, call.http.query);
      AddForm(parameters, call.http.body);
      return function(parameters, call);
    } catch (const Failure& failure) {
      return ErrorReply(failure.error());
    }
  });
}

void OAuthService::Serve(net::Router& router) {
  namespace oauth = api::oauth;
  auto token = [this](const Parameters& p, const Call& call) { return Reply(Token(p, call)); };
  for (const auto* method :
       {&oauth::kToken, &oauth::kTokenV3, &oauth::kTokenV4, &oauth::kTokenOld}) {
    OnForm(router, method->entry(), token);
  }
  auto facts = [this](const Parameters& p, const Call&) { return Reply(Facts(p)); };
  for (const auto* method : {&oauth::kTokenInfo, &oauth::kPostTokenInfo, &oauth::kTokenInfoV3,
                             &oauth::kPostTokenInfoV3}) {
    OnForm(router, method->entry(), facts);
  }
  auto facts_v1 = [this](const Parameters& p, const Call&) { return FactsV1(p); };
  OnForm(router, oauth::kTokenInfoV1.entry(), facts_v1);
  OnForm(router, oauth::kPostTokenInfoV1.entry(), facts_v1);
  auto revoke = [this](const Parameters& p, const Call&) { return Revoke(p); };
  for (const auto* method :
       {&oauth::kRevoke, &oauth::kGetRevoke, &oauth::kRevokeOld, &oauth::kGetRevokeOld}) {
    OnForm(router, method->entry(), revoke);
  }
  OnForm(router, oauth::kCertsV1.entry(),
         [this](const Parameters&, const Call&) { return CertificatesV1(); });
  router.On(oauth::kCerts, this, &OAuthService::Certificates);
  router.On(oauth::kAccountKeys, this, &OAuthService::AccountKeys);
  for (const auto* method :
       {&oauth::kUserInfoV1, &oauth::kUserInfoV2, &oauth::kUserInfoV3, &oauth::kUserInfoOpenId}) {
    router.On(*method, this, &OAuthService::UserOf);
  }
}

TokenReply OAuthService::Token(const Parameters& parameters, const Call& call) {
  std::string grant = Need(parameters, "grant_type");
  if (grant == "refresh_token") return FromRefreshToken(parameters);
  if (grant == "urn:ietf:params:oauth:grant-type:jwt-bearer") {
    return FromAssertion(parameters, call);
  }
  Refuse("unsupported_grant_type", "Invalid grant_type: " + grant);
}

TokenReply OAuthService::FromRefreshToken(const Parameters& parameters) {
  std::string secret = Need(parameters, "refresh_token");
  auto refreshed = tokens_.Refresh(secret, SplitScopes(Get(parameters, "scope")));
  if (!refreshed) Refuse("invalid_grant", "Token has been expired or revoked.");
  log_.Info("token granted", {{"grant", "refresh_token"}, {"email", refreshed->email}});
  TokenReply reply = BearerReply(refreshed->access);
  std::string client = Get(parameters, "client_id");
  std::string subject = SubjectOf("user:" + refreshed->email, refreshed->email);
  reply.id_token = keys_.IdToken({subject, refreshed->email}, client.empty() ? "fireweed" : client);
  return reply;
}

TokenReply OAuthService::FromAssertion(const Parameters& parameters, const Call& call) {
  Result<Jwt> jwt = ParseJwt(Need(parameters, "assertion"));
  if (!jwt) Refuse("invalid_grant", jwt.error().message);
  const JwtClaims& claims = jwt->claims;
  Result<api::iam::ServiceAccount> account = VerifyAssertion(catalog_, *jwt, clock_.Now());
  if (!account) throw Failure(account.error());
  if (!IsTokenUrl(claims, call)) {
    Refuse("invalid_grant", "Invalid JWT: 'aud' must be the address of a token endpoint.");
  }
  log_.Info("token granted", {{"grant", "jwt-bearer"},
                              {"email", account->email},
                              {"key", jwt->header.kid},
                              {"kind", claims.target_audience.empty() ? "access" : "id"}});
  if (!claims.target_audience.empty()) {
    return {.id_token = keys_.IdToken({account->uniqueId, account->email}, claims.target_audience)};
  }
  std::vector<std::string> scopes = SplitScopes(claims.scope);
  if (scopes.empty()) Refuse("invalid_scope", "Empty or missing scope not allowed.");
  return BearerReply(tokens_.MintForServiceAccount(account->email, scopes, kUsualLifetime));
}

std::string OAuthService::SubjectOf(const std::string& principal, const std::string& email) const {
  return Query(catalog_, [&](Txn& txn) -> std::string {
    if (principal.starts_with("serviceAccount:")) {
      auto account = txn.Find<api::iam::ServiceAccount>(email);
      return account ? account->value.uniqueId : "";
    }
    auto user = txn.Find<UserRecord>(email);
    return user ? user->value.id : "";
  });
}

api::oauth::TokenFacts OAuthService::FactsOfIdToken(std::string_view id_token) {
  Result<Jwt> jwt = ParseJwt(id_token);
  SigningKey issuer = keys_.Issuer();
  if (!jwt || jwt->header.kid != issuer.id || !SignatureIsGood(*jwt, issuer.key) ||
      !CheckTimes(jwt->claims, clock_.Now())) {
    Refuse("invalid_token", "Invalid Value");
  }
  const JwtClaims& claims = jwt->claims;
  std::vector<std::string> audiences = claims.Audiences();
  int64_t expires = static_cast<int64_t>(*claims.exp);
  return {.azp = claims.azp,
          .aud = audiences.empty() ? "" : audiences[0],
          .sub = claims.sub,
          .exp = std::to_string(expires),
          .email = claims.email,
          .email_verified = claims.email.empty() ? "" : "true"};
}

api::oauth::TokenFacts OAuthService::Facts(const Parameters& parameters) {
  if (std::string id_token = Get(parameters, "id_token"); !id_token.empty()) {
    return FactsOfIdToken(id_token);
  }
  std::string token = Get(parameters, "access_token");
  std::optional<TokenRecord> record = tokens_.Find(token);
  if (!record) Refuse("invalid_token", "Invalid Value");
  std::string subject = SubjectOf(record->principal, record->email);
  int64_t left = ToSeconds(record->expires) - ToSeconds(clock_.Now());
  return {.azp = subject,
          .aud = subject,
          .sub = subject,
          .scope = Join(record->scopes),
          .exp = std::to_string(ToSeconds(record->expires)),
          .expires_in = std::to_string(std::max<int64_t>(left, 0)),
          .email = record->email,
          .email_verified = "true",
          .access_type = "offline"};
}

Response OAuthService::FactsV1(const Parameters& parameters) {
  api::oauth::TokenFacts facts = Facts(parameters);
  api::oauth::TokenFactsV1 old{.issued_to = facts.azp,
                               .audience = facts.aud,
                               .user_id = facts.sub,
                               .scope = facts.scope,
                               .email = facts.email,
                               .access_type = facts.access_type,
                               .verified_email = !facts.email.empty()};
  old.expires_in = static_cast<int32_t>(std::stoll(facts.exp) - ToSeconds(clock_.Now()));
  return Reply(old);
}

Response OAuthService::Revoke(const Parameters& parameters) {
  if (!tokens_.Revoke(Need(parameters, "token"))) {
    Refuse("invalid_token", "Token expired or revoked");
  }
  log_.Info("token revoked", {{"by", "its holder"}});
  return Reply(api::Empty{});
}

api::oauth::JsonWebKeys OAuthService::Certificates(const api::Empty&, const Call&) {
  SigningKey issuer = keys_.Issuer();
  return {{AsJwk(issuer.id, issuer.key)}};
}

Response OAuthService::CertificatesV1() {
  SigningKey issuer = keys_.Issuer();
  int64_t since = ToSeconds(issuer.created);
  JsonWriter out;
  out.BeginObject()
      .Field(issuer.id, issuer.key.SelfSignedCertificate("fireweed id tokens", since,
                                                         since + kCertificateSeconds))
      .EndObject();
  return net::JsonResponse(200, out.Take());
}

api::oauth::JsonWebKeys OAuthService::AccountKeys(const api::oauth::GetAccountKeys& request,
                                                  const Call&) {
  api::oauth::JsonWebKeys reply;
  catalog_.Read([&](Txn& txn) {
    reply.keys.clear();
    if (!txn.Find<api::iam::ServiceAccount>(request.account)) {
      throw Failure(Code::kNotFound, "No such service account.");
    }
    txn.ForEach<AccountKeyRecord>({.prefix = request.account + "/"}, [&](const auto& row) {
      std::optional<RsaKey> key = RsaKey::FromPublicPem(row.value.public_pem);
      if (key) reply.keys.push_back(AsJwk(row.value.id, *key));
    });
    // Our own key for the account is shown once it is in use: strangers cannot have one made.
    if (auto own = txn.Find<SigningKeyRecord>(request.account)) {
      std::optional<RsaKey> key = RsaKey::FromPrivatePem(own->value.private_pem);
      if (key) reply.keys.push_back(AsJwk(own->value.id, *key));
    }
  });
  return reply;
}

api::oauth::User OAuthService::UserOf(const api::Empty&, const Call& call) {
  if (call.caller.anonymous()) {
    throw Failure(Code::kUnauthenticated, "required", "Login Required.");
  }
  std::string subject = SubjectOf(call.caller.principal, call.caller.email);
  return {.sub = subject,
          .id = subject,
          .email = call.caller.email,
          .email_verified = true,
          .verified_email = true};
}

}  // namespace fireweed::identity
