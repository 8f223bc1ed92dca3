// IAM v1: service accounts, their keys and policies, and roles. Handlers run on pool threads and may block for the
// catalog; creating a key takes the tens of milliseconds that RSA takes.
#pragma once

#include "api/iam/key.h"
#include "api/iam/role.h"
#include "api/iam/service_account.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/random.h"
#include "catalog/catalog.h"
#include "identity/projects.h"
#include "net/router.h"

namespace fireweed::identity {

class AccountService {
 public:
  AccountService(Catalog& catalog, const Clock& clock, Random& random, const Projects& projects,
                 net::AccessControl& access, Logger& log)
      : catalog_(catalog),
        clock_(clock),
        random_(random),
        projects_(projects),
        access_(access),
        log_(log) {}

  void Serve(net::Router& router);

 private:
  using Account = api::iam::ServiceAccount;

  Account Create(const api::iam::CreateServiceAccount& request, const net::Call& call);
  api::iam::ServiceAccountList List(const api::iam::ListServiceAccounts& request,
                                    const net::Call& call);
  Account Get(const api::iam::GetServiceAccount& request, const net::Call& call);
  Account Patch(const api::iam::PatchServiceAccount& request, const net::Call& call);
  Account Update(const api::iam::UpdateServiceAccount& request, const net::Call& call);
  api::Empty Delete(const api::iam::GetServiceAccount& request, const net::Call& call);
  api::Empty Disable(const api::iam::GetServiceAccount& request, const net::Call& call);
  api::Empty Enable(const api::iam::GetServiceAccount& request, const net::Call& call);
  api::Policy GetPolicy(const api::iam::GetServiceAccount& request, const net::Call& call);
  api::Policy SetPolicy(const api::iam::SetAccountPolicy& request, const net::Call& call);
  api::TestPermissionsBody TestPermissions(const api::iam::TestAccountPermissions& request,
                                           const net::Call& call);

  api::iam::ServiceAccountKey CreateKey(const api::iam::CreateKey& request, const net::Call& call);
  api::iam::KeyList ListKeys(const api::iam::ListKeys& request, const net::Call& call);
  api::iam::ServiceAccountKey GetKey(const api::iam::GetKey& request, const net::Call& call);
  api::Empty DeleteKey(const api::iam::GetKey& request, const net::Call& call);

  api::iam::RoleList ListRoles(const api::iam::ListRoles& request, const net::Call& call);
  api::iam::Role GetRole(const api::iam::GetRole& request, const net::Call& call);

  // The row; kNotFound when there is none or it is another project's.
  Row<Account> Load(Txn& txn, std::string_view project, std::string_view account) const;
  // Changes the row and returns it as clients see it.
  Account Change(std::string_view project, std::string_view account,
                 const std::function<void(Account&)>& change);

  Catalog& catalog_;
  const Clock& clock_;
  Random& random_;
  const Projects& projects_;
  net::AccessControl& access_;
  Logger& log_;
};

}  // namespace fireweed::identity
