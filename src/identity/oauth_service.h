// What for: the token endpoints and their relatives, in OAuth's own shapes.
// Who calls: the router, on pool threads; may block for the catalog.
// A failure: {"error":"invalid_grant","error_description":"..."} with 400 or 401; tokens are never logged.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "api/oauth/oauth.h"
#include "base/clock.h"
#include "base/log.h"
#include "catalog/catalog.h"
#include "identity/signing_keys.h"
#include "identity/tokens.h"
#include "net/router.h"

namespace fireweed::identity {

class OAuthService {
 public:
  OAuthService(Catalog& catalog, const Clock& clock, Tokens& tokens, SigningKeys& keys, Logger& log)
      : catalog_(catalog), clock_(clock), tokens_(tokens), keys_(keys), log_(log) {}

  void Serve(net::Router& router);

 private:
  using Parameters = std::map<std::string, std::string>;  // query and form body together

  api::oauth::TokenReply Token(const Parameters& parameters, const net::Call& call);
  api::oauth::TokenReply FromRefreshToken(const Parameters& parameters);
  api::oauth::TokenReply FromAssertion(const Parameters& parameters, const net::Call& call);
  api::oauth::TokenFacts Facts(const Parameters& parameters);
  api::oauth::TokenFacts FactsOfIdToken(std::string_view id_token);
  net::Response FactsV1(const Parameters& parameters);
  net::Response Revoke(const Parameters& parameters);
  net::Response CertificatesV1();

  api::oauth::JsonWebKeys Certificates(const api::Empty&, const net::Call&);
  api::oauth::JsonWebKeys AccountKeys(const api::oauth::GetAccountKeys& request, const net::Call&);
  api::oauth::User UserOf(const api::Empty&, const net::Call& call);

  // Binds a function of the parameters; Failures become OAuth errors.
  void OnForm(net::Router& router, const api::MethodEntry& method,
              std::function<net::Response(const Parameters&, const net::Call&)> function);
  std::string SubjectOf(const std::string& principal, const std::string& email) const;

  Catalog& catalog_;
  const Clock& clock_;
  Tokens& tokens_;
  SigningKeys& keys_;
  Logger& log_;
};

}  // namespace fireweed::identity
