#include "identity/credentials_service.h"

#include <charconv>

#include <fmt/format.h>

#include "api/iam/service_account.h"
#include "describe/json_codec.h"
#include "identity/jwt.h"
#include "identity/service_accounts.h"

namespace fireweed::identity {
namespace {

using net::Call;

constexpr int64_t kLongestSeconds = 12 * 3600;

// "3600s"; empty means an hour.
Duration ParseLifetime(std::string_view text) {
  if (text.empty()) return kUsualLifetime;
  int64_t seconds = 0;
  auto parsed = std::from_chars(text.data(), text.data() + text.size(), seconds);
  bool whole =
      parsed.ec == std::errc() && parsed.ptr + 1 == text.data() + text.size() && *parsed.ptr == 's';
  if (!whole || seconds < 1 || seconds > kLongestSeconds) {
    throw Failure(Code::kInvalid,
                  fmt::format("Invalid lifetime '{}': \"1s\" to \"{}s\".", text, kLongestSeconds));
  }
  return std::chrono::seconds(seconds);
}

void RefuseDelegates(const std::vector<std::string>& delegates) {
  if (!delegates.empty()) {
    throw Failure(Code::kInvalid, "Delegation chains are not supported: leave out 'delegates'.");
  }
}

}  // namespace

void CredentialsService::Serve(net::Router& router) {
  router.On(api::iam::kGenerateAccessToken, this, &CredentialsService::AccessToken);
  router.On(api::iam::kGenerateIdToken, this, &CredentialsService::IdToken);
  router.On(api::iam::kSignBlob, this, &CredentialsService::SignBlob);
  router.On(api::iam::kSignJwt, this, &CredentialsService::SignJwt);
  router.On(api::iam::kGetAllowedLocations, this, &CredentialsService::Locations);
}

api::iam::ServiceAccount CredentialsService::Load(std::string_view account) const {
  auto row = Query(catalog_, [&](Txn& txn) { return FindServiceAccount(txn, account); });
  if (!row) throw Failure(Code::kNotFound, fmt::format("Unknown service account: {}", account));
  if (row->value.disabled.value_or(false)) {
    throw Failure(Code::kDenied, fmt::format("Service account {} is disabled.", account));
  }
  return std::move(row->value);
}

api::iam::AccessTokenReply CredentialsService::AccessToken(
    const api::iam::GenerateAccessToken& request, const Call& call) {
  RefuseDelegates(request.body.delegates);
  if (request.body.scope.empty()) throw Failure(Code::kInvalid, "'scope' must name a scope.");
  std::string email = Load(request.account).email;
  MintedToken minted = tokens_.MintForServiceAccount(
      email, request.body.scope, ParseLifetime(request.body.lifetime), "for " + call.caller.email);
  log_.Info("token granted",
            {{"grant", "impersonation"}, {"email", email}, {"by", call.caller.email}});
  return {minted.token, FormatTime(minted.expires, 0)};
}

api::iam::IdTokenReply CredentialsService::IdToken(const api::iam::GenerateIdToken& request,
                                                   const Call& call) {
  RefuseDelegates(request.body.delegates);
  api::iam::ServiceAccount account = Load(request.account);
  log_.Info("token granted",
            {{"grant", "id token"}, {"email", account.email}, {"by", call.caller.email}});
  return {keys_.IdToken({account.uniqueId, account.email, request.body.includeEmail},
                        request.body.audience)};
}

api::iam::SignBlobReply CredentialsService::SignBlob(const api::iam::SignBlob& request,
                                                     const Call&) {
  RefuseDelegates(request.body.delegates);
  SigningKey key = keys_.ForAccount(Load(request.account).email);
  return {key.id, {key.key.Sign(request.body.payload.raw)}};
}

api::iam::SignJwtReply CredentialsService::SignJwt(const api::iam::SignJwt& request, const Call&) {
  RefuseDelegates(request.body.delegates);
  api::iam::ServiceAccount account = Load(request.account);
  // Only to see that it is JSON; what it claims is the caller's business.
  DecodeJson<api::Empty>(request.body.payload);
  SigningKey key = keys_.ForAccount(account.email);
  return {key.id, identity::SignJwt(request.body.payload, key.id, key.key)};
}

// Everything is here: no location is ruled out.
api::iam::AllowedLocations CredentialsService::Locations(const api::iam::GetAllowedLocations&,
                                                         const Call& call) {
  if (call.caller.anonymous()) {
    throw Failure(Code::kUnauthenticated, "required", "Login Required.");
  }
  return {{}, "0x0"};
}

}  // namespace fireweed::identity
