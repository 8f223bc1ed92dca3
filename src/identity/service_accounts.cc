#include "identity/service_accounts.h"

#include <algorithm>

#include <fmt/format.h>

#include "identity/policies.h"
#include "identity/records.h"

namespace fireweed::identity {
namespace {

using api::iam::ServiceAccount;

constexpr uint64_t kUniqueIds = 900'000'000'000'000'000;

// 21 digits beginning with 1, as the real ones have.
std::string FreeUniqueId(Txn& txn, Random& random) {
  while (true) {
    std::string id = fmt::format("1{:020d}", random.Below(kUniqueIds));
    if (!txn.Find<AccountNumberRecord>(id)) return id;
  }
}

std::string Resource(std::string_view account) {
  return fmt::format("serviceAccounts/{}", account);
}

}  // namespace

std::string DefaultComputeAccount(const api::crm::Project& project) {
  return fmt::format("{}-compute@developer.gserviceaccount.com", project.projectNumber);
}

std::optional<Row<ServiceAccount>> FindServiceAccount(Txn& txn, std::string_view email_or_number) {
  if (auto row = txn.Find<ServiceAccount>(email_or_number)) return row;
  auto number = txn.Find<AccountNumberRecord>(email_or_number);
  if (!number) return std::nullopt;
  return txn.Find<ServiceAccount>(number->value.email);
}

ServiceAccount AddServiceAccount(Txn& txn, ServiceAccount account, Time now, Random& random) {
  if (txn.Find<ServiceAccount>(account.email)) {
    throw Failure(Code::kExists, fmt::format("Service account {} already exists within project "
                                             "projects/{}.",
                                             account.email, account.projectId));
  }
  account.name = fmt::format("projects/{}/serviceAccounts/{}", account.projectId, account.email);
  account.uniqueId = FreeUniqueId(txn, random);
  account.oauth2ClientId = account.uniqueId;
  account.created = now;
  txn.Put(account.email, account, 0);
  txn.Put(account.uniqueId, AccountNumberRecord{account.email}, 0);
  txn.Put(fmt::format("{}/{}", account.projectId, account.email), ProjectAccountRecord{}, 0);
  CreatePolicy(txn, Resource(account.email), "projects/" + account.projectId);
  // Clients may say the unique id for the email; its policy is the account's.
  CreatePolicy(txn, Resource(account.uniqueId), Resource(account.email));
  return account;
}

void RemoveServiceAccount(Txn& txn, const ServiceAccount& account) {
  txn.ForEach<AccountKeyRecord>({.prefix = account.email + "/"},
                                [&](const auto& row) { txn.Erase<AccountKeyRecord>(row.key); });
  txn.Erase<SigningKeyRecord>(account.email);
  txn.Erase<AccountNumberRecord>(account.uniqueId);
  txn.Erase<ProjectAccountRecord>(fmt::format("{}/{}", account.projectId, account.email));
  txn.Erase<ServiceAccount>(account.email);
  ErasePolicy(txn, Resource(account.email));
  ErasePolicy(txn, Resource(account.uniqueId));
}

}  // namespace fireweed::identity
