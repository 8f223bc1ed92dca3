#include "compute/catalog_identity.h"

#include <cctype>

#include <fmt/format.h>

#include "identity/service_accounts.h"

namespace fireweed::compute {
namespace {

ProjectIdentity IdentityOf(const api::crm::Project& project) {
  return {project.projectNumber, identity::DefaultComputeAccount(project)};
}

}  // namespace

ProjectIdentity CatalogIdentity::EnsureProject(const std::string& project,
                                               const net::Caller& caller) {
  // Nearly always it is there, and a read is cheaper than a write.
  auto known = Query(catalog_, [&](Txn& txn) { return projects_.Find(txn, project); });
  if (known && known->lifecycleState == api::crm::LifecycleState::kActive) {
    return IdentityOf(*known);
  }
  return IdentityOf(Update(catalog_, "project on first use",
                           [&](Txn& txn) { return projects_.Ensure(txn, project, caller); }));
}

ProjectIdentity CatalogIdentity::FindProject(const std::string& project) {
  auto known = Query(catalog_, [&](Txn& txn) { return projects_.Find(txn, project); });
  if (!known) {
    throw Failure(Code::kNotFound,
                  fmt::format("The resource 'projects/{}' was not found", project));
  }
  return IdentityOf(*known);
}

std::string CatalogIdentity::ProjectId(const std::string& project) {
  bool number = !project.empty() && std::isdigit(static_cast<unsigned char>(project.front()));
  if (!number) return project;  // ids begin with a letter
  auto known = Query(catalog_, [&](Txn& txn) { return projects_.Find(txn, project); });
  return known ? known->projectId : project;
}

std::string CatalogIdentity::AccountId(const std::string& email) {
  auto row = Query(catalog_, [&](Txn& txn) { return identity::FindServiceAccount(txn, email); });
  return row ? row->value.uniqueId : "";
}

Result<InstanceToken> CatalogIdentity::MintToken(const std::string& email,
                                                 const std::vector<std::string>& scopes) {
  try {
    identity::MintedToken minted =
        tokens_.MintForServiceAccount(email, scopes, identity::kUsualLifetime, "instance");
    return InstanceToken{minted.token, minted.expires};
  } catch (const Failure& failure) {
    return failure.error();
  }
}

Result<std::string> CatalogIdentity::MintIdentity(const InstanceClaims& claims) {
  try {
    auto row =
        Query(catalog_, [&](Txn& txn) { return identity::FindServiceAccount(txn, claims.email); });
    if (!row) return Error{Code::kNotFound, "", "Unknown service account: " + claims.email};
    bool full = !claims.google.empty();
    return keys_.IdToken({row->value.uniqueId, row->value.email, full, claims.google},
                         claims.audience);
  } catch (const Failure& failure) {
    return failure.error();
  }
}

}  // namespace fireweed::compute
