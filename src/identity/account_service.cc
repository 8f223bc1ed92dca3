#include "identity/account_service.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/bytes.h"
#include "base/checksum.h"
#include "describe/json_codec.h"
#include "identity/policies.h"
#include "identity/records.h"
#include "identity/roles.h"
#include "identity/service_accounts.h"

namespace fireweed::identity {
namespace {

using api::iam::ServiceAccount;
using net::Call;

constexpr int kPage = 100;

std::string Resource(const ServiceAccount& account) { return "serviceAccounts/" + account.email; }

ServiceAccount Shown(const Row<ServiceAccount>& row) {
  ServiceAccount account = row.value;
  account.etag = {
      Hash(Digest::kSha256, fmt::format("{} {}", account.uniqueId, row.version)).substr(0, 8)};
  return account;
}

// 6 to 30 characters: a letter, then letters, digits and dashes, no dash last.
void RequireAccountId(std::string_view id) {
  if (IsProjectId(id)) return;  // the same rule
  throw Failure(Code::kInvalid,
                fmt::format("Invalid service account id '{}': 6 to 30 lower-case letters, digits "
                            "and dashes, a letter first, no dash last.",
                            id));
}

api::iam::Role Shown(const Role& role, bool full) {
  api::iam::Role shown{.name = std::string(role.name),
                       .title = std::string(role.title),
                       .description = std::string(role.description),
                       .stage = "GA",
                       .etag = {"\x01"}};
  if (full) shown.includedPermissions.assign(role.grants.begin(), role.grants.end());
  return shown;
}

void RequireSignedIn(const Call& call) {
  if (call.caller.anonymous()) {
    throw Failure(Code::kUnauthenticated, "required", "Login Required.");
  }
}

}  // namespace

void AccountService::Serve(net::Router& router) {
  namespace iam = api::iam;
  router.On(iam::kCreateServiceAccount, this, &AccountService::Create);
  router.On(iam::kListServiceAccounts, this, &AccountService::List);
  router.On(iam::kGetServiceAccount, this, &AccountService::Get);
  router.On(iam::kPatchServiceAccount, this, &AccountService::Patch);
  router.On(iam::kUpdateServiceAccount, this, &AccountService::Update);
  router.On(iam::kDeleteServiceAccount, this, &AccountService::Delete);
  router.On(iam::kDisableServiceAccount, this, &AccountService::Disable);
  router.On(iam::kEnableServiceAccount, this, &AccountService::Enable);
  router.On(iam::kGetAccountPolicy, this, &AccountService::GetPolicy);
  router.On(iam::kSetAccountPolicy, this, &AccountService::SetPolicy);
  router.On(iam::kTestAccountPermissions, this, &AccountService::TestPermissions);
  router.On(iam::kCreateKey, this, &AccountService::CreateKey);
  router.On(iam::kListKeys, this, &AccountService::ListKeys);
  router.On(iam::kGetKey, this, &AccountService::GetKey);
  router.On(iam::kDeleteKey, this, &AccountService::DeleteKey);
  router.On(iam::kListRoles, this, &AccountService::ListRoles);
  router.On(iam::kGetRole, this, &AccountService::GetRole);
}

Row<ServiceAccount> AccountService::Load(Txn& txn, std::string_view project,
                                         std::string_view account) const {
  std::optional<Row<ServiceAccount>> row = FindServiceAccount(txn, account);
  bool here = row.has_value();
  if (here && project != "-" && project != row->value.projectId) {
    std::optional<api::crm::Project> named = projects_.Find(txn, project);
    here = named && named->projectId == row->value.projectId;
  }
  if (!here) {
    throw Failure(Code::kNotFound, fmt::format("Unknown service account: {}", account));
  }
  return *std::move(row);
}

ServiceAccount AccountService::Change(std::string_view project, std::string_view account,
                                      const std::function<void(Account&)>& change) {
  return Shown(fireweed::Update(catalog_, "service account change", [&](Txn& txn) {
    Row<Account> row = Load(txn, project, account);
    change(row.value);
    row.version = txn.Put(row.key, row.value, row.version);
    return row;
  }));
}

ServiceAccount AccountService::Create(const api::iam::CreateServiceAccount& request,
                                      const Call& call) {
  RequireAccountId(request.body.accountId);
  Row<Account> row = fireweed::Update(catalog_, "service account create", [&](Txn& txn) {
    api::crm::Project project = projects_.Ensure(txn, request.project, call.caller);
    Account account{.projectId = project.projectId,
                    .email = fmt::format("{}@{}.iam.gserviceaccount.com", request.body.accountId,
                                         project.projectId),
                    .displayName = request.body.serviceAccount.displayName,
                    .description = request.body.serviceAccount.description};
    return Row<Account>{"", 1, AddServiceAccount(txn, std::move(account), clock_.Now(), random_)};
  });
  log_.Info("service account created",
            {{"email", row.value.email}, {"by", call.caller.email}, {"request", call.http.id}});
  return Shown(row);
}

api::iam::ServiceAccountList AccountService::List(const api::iam::ListServiceAccounts& request,
                                                  const Call& call) {
  int page = request.pageSize > 0 ? std::min(request.pageSize, kPage) : kPage;
  std::optional<std::string> after = Base64Decode(request.pageToken);
  if (!after) throw Failure(Code::kInvalid, "Invalid page token.");
  return Query(catalog_, [&](Txn& txn) {
    api::iam::ServiceAccountList reply;
    std::optional<api::crm::Project> project = projects_.Find(txn, request.project);
    if (!project && projects_.WouldCreate(call.caller)) return reply;
    if (!project) throw Failure(Code::kNotFound, "Unknown project: " + request.project);
    auto rows = txn.Scan<ProjectAccountRecord>({.prefix = project->projectId + "/",
                                                .after = after->empty() ? std::nullopt : after,
                                                .limit = page + 1});
    for (size_t i = 0; i < rows.size(); ++i) {
      if (i == static_cast<size_t>(page)) {
        reply.nextPageToken = Base64Encode(rows[i - 1].key);
        break;
      }
      auto account = txn.Find<Account>(rows[i].key.substr(project->projectId.size() + 1));
      if (account) reply.accounts.push_back(Shown(*account));
    }
    return reply;
  });
}

ServiceAccount AccountService::Get(const api::iam::GetServiceAccount& request, const Call&) {
  return Query(catalog_,
               [&](Txn& txn) { return Shown(Load(txn, request.project, request.account)); });
}

ServiceAccount AccountService::Patch(const api::iam::PatchServiceAccount& request, const Call&) {
  const Account& wanted = request.body.serviceAccount;
  const std::string& mask = request.body.updateMask;
  auto asked = [&](std::string_view field) {
    return mask.empty() || mask.find(field) != std::string::npos;
  };
  return Change(request.project, request.account, [&](Account& account) {
    if (asked("displayName") || asked("display_name")) account.displayName = wanted.displayName;
    if (asked("description")) account.description = wanted.description;
  });
}

ServiceAccount AccountService::Update(const api::iam::UpdateServiceAccount& request, const Call&) {
  return Change(request.project, request.account, [&](Account& account) {
    account.displayName = request.body.displayName;
    if (!request.body.description.empty()) account.description = request.body.description;
  });
}

api::Empty AccountService::Delete(const api::iam::GetServiceAccount& request, const Call& call) {
  catalog_.Write("service account delete", [&](Txn& txn) {
    RemoveServiceAccount(txn, Load(txn, request.project, request.account).value);
  });
  log_.Info("service account deleted", {{"account", request.account}, {"by", call.caller.email}});
  return {};
}

api::Empty AccountService::Disable(const api::iam::GetServiceAccount& request, const Call&) {
  Change(request.project, request.account, [](Account& account) { account.disabled = true; });
  log_.Info("service account disabled", {{"account", request.account}});
  return {};
}

api::Empty AccountService::Enable(const api::iam::GetServiceAccount& request, const Call&) {
  Change(request.project, request.account, [](Account& account) { account.disabled.reset(); });
  log_.Info("service account enabled", {{"account", request.account}});
  return {};
}

api::Policy AccountService::GetPolicy(const api::iam::GetServiceAccount& request, const Call&) {
  return Query(catalog_, [&](Txn& txn) {
    return identity::GetPolicy(txn, Resource(Load(txn, request.project, request.account).value));
  });
}

api::Policy AccountService::SetPolicy(const api::iam::SetAccountPolicy& request, const Call& call) {
  api::Policy policy = fireweed::Update(catalog_, "service account policy", [&](Txn& txn) {
    return identity::SetPolicy(txn, Resource(Load(txn, request.project, request.account).value),
                               request.body.policy);
  });
  log_.Info("policy changed", {{"account", request.account}, {"by", call.caller.email}});
  return policy;
}

api::TestPermissionsBody AccountService::TestPermissions(
    const api::iam::TestAccountPermissions& request, const Call& call) {
  RequireSignedIn(call);
  auto row = Query(catalog_, [&](Txn& txn) { return Load(txn, request.project, request.account); });
  return {GrantedOf(access_, call.caller, request.body.permissions, Resource(row.value))};
}

api::iam::RoleList AccountService::ListRoles(const api::iam::ListRoles& request, const Call& call) {
  RequireSignedIn(call);
  api::iam::RoleList reply;
  for (const Role& role : AllRoles()) reply.roles.push_back(Shown(role, request.view == "FULL"));
  return reply;
}

api::iam::Role AccountService::GetRole(const api::iam::GetRole& request, const Call& call) {
  RequireSignedIn(call);
  const Role* role = FindRole("roles/" + request.role);
  if (!role) {
    throw Failure(Code::kNotFound,
                  fmt::format("The role named roles/{} was not found.", request.role));
  }
  return Shown(*role, true);
}

}  // namespace fireweed::identity
