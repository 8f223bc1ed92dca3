// Who may do what: projects, accounts, tokens and the services that show them.
#pragma once

#include <string>

#include "bin/ground.h"
#include "identity/access.h"
#include "identity/account_service.h"
#include "identity/admin_service.h"
#include "identity/credentials_service.h"
#include "identity/oauth_service.h"
#include "identity/project_service.h"
#include "identity/projects.h"
#include "identity/service_usage.h"
#include "identity/signing_keys.h"
#include "identity/tokens.h"

namespace fireweed {

struct People {
  explicit People(Ground& given);

  void Serve(net::Router& router);
  // Leaves a credential for the local user: whoever can read this file is the owner.
  void PrepareOwner();
  // The id of a project by id or number; made on first use where the settings allow it.
  std::string ProjectId(const std::string& name, const net::Caller& caller);

  Ground& ground;
  identity::Access access;
  identity::Tokens tokens;
  identity::Projects projects;
  identity::SigningKeys signing_keys;
  identity::ProjectService project_service;
  identity::AccountService account_service;
  identity::CredentialsService credentials_service;
  identity::OAuthService oauth_service;
  identity::ServiceUsage service_usage;
  identity::AdminService admin_service;
};

}  // namespace fireweed
