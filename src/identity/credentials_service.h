// IAM Service Account Credentials v1. Handlers run on pool threads and may block for the catalog.
#pragma once

#include "api/iam/credentials.h"
#include "base/log.h"
#include "catalog/catalog.h"
#include "identity/signing_keys.h"
#include "identity/tokens.h"
#include "net/router.h"

namespace fireweed::identity {

class CredentialsService {
 public:
  CredentialsService(Catalog& catalog, Tokens& tokens, SigningKeys& keys, Logger& log)
      : catalog_(catalog), tokens_(tokens), keys_(keys), log_(log) {}

  void Serve(net::Router& router);

 private:
  api::iam::AccessTokenReply AccessToken(const api::iam::GenerateAccessToken& request,
                                         const net::Call& call);
  api::iam::IdTokenReply IdToken(const api::iam::GenerateIdToken& request, const net::Call& call);
  api::iam::SignBlobReply SignBlob(const api::iam::SignBlob& request, const net::Call& call);
  api::iam::SignJwtReply SignJwt(const api::iam::SignJwt& request, const net::Call& call);
  api::iam::AllowedLocations Locations(const api::iam::GetAllowedLocations& request,
                                       const net::Call& call);

  // By email or unique id; kNotFound, or kDenied when it is disabled.
  api::iam::ServiceAccount Load(std::string_view account) const;

  Catalog& catalog_;
  Tokens& tokens_;
  SigningKeys& keys_;
  Logger& log_;
};

}  // namespace fireweed::identity
