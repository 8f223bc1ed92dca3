// Fireweed's own API for users, groups and tokens: for the owner of the daemon. Handlers run on pool threads and may
// block for the catalog.
#pragma once

#include "api/admin/identity.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/random.h"
#include "catalog/catalog.h"
#include "identity/tokens.h"
#include "net/router.h"

namespace fireweed::identity {

class AdminService {
 public:
  AdminService(Catalog& catalog, const Clock& clock, Random& random, Tokens& tokens, Logger& log)
      : catalog_(catalog), clock_(clock), random_(random), tokens_(tokens), log_(log) {}

  void Serve(net::Router& router);

 private:
  api::admin::TokenList ListTokens(const api::admin::ListTokens& request, const net::Call& call);
  api::admin::Token CreateToken(const api::admin::CreateToken& request, const net::Call& call);
  api::Empty RevokeToken(const api::admin::NameToken& request, const net::Call& call);
  api::admin::UserList ListUsers(const api::Empty&, const net::Call& call);
  api::admin::User CreateUser(const api::admin::CreateUser& request, const net::Call& call);
  api::Empty DeleteUser(const api::admin::NameUser& request, const net::Call& call);
  api::admin::UserCredential IssueCredential(const api::admin::NameUser& request,
                                             const net::Call& call);
  api::admin::GroupList ListGroups(const api::Empty&, const net::Call& call);
  api::admin::Group PutGroup(const api::admin::PutGroup& request, const net::Call& call);
  api::Empty DeleteGroup(const api::admin::NameGroup& request, const net::Call& call);

  Catalog& catalog_;
  const Clock& clock_;
  Random& random_;
  Tokens& tokens_;
  Logger& log_;
};

}  // namespace fireweed::identity
