// Instances' identity from the identity service's own parts.
#pragma once

#include "catalog/catalog.h"
#include "compute/instance_identity.h"
#include "identity/projects.h"
#include "identity/signing_keys.h"
#include "identity/tokens.h"

namespace fireweed::compute {

class CatalogIdentity final : public InstanceIdentity {
 public:
  CatalogIdentity(Catalog& catalog, const identity::Projects& projects, identity::Tokens& tokens,
                  identity::SigningKeys& keys)
      : catalog_(catalog), projects_(projects), tokens_(tokens), keys_(keys) {}

  ProjectIdentity EnsureProject(const std::string& project, const net::Caller& caller) override;
  ProjectIdentity FindProject(const std::string& project) override;
  std::string ProjectId(const std::string& project) override;
  std::string AccountId(const std::string& email) override;
  Result<InstanceToken> MintToken(const std::string& email,
                                  const std::vector<std::string>& scopes) override;
  Result<std::string> MintIdentity(const InstanceClaims& claims) override;

 private:
  Catalog& catalog_;
  const identity::Projects& projects_;
  identity::Tokens& tokens_;
  identity::SigningKeys& keys_;
};

}  // namespace fireweed::compute
