// Service account rows: one per account by email, found by unique id and by project as well.
// For catalog transactions: any thread, nothing blocks beyond the transaction; Failure rolls back.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "api/crm/project.h"
#include "api/iam/service_account.h"
#include "base/clock.h"
#include "base/random.h"
#include "catalog/catalog.h"

namespace fireweed::identity {

// The account that instances of the project run as unless told otherwise.
std::string DefaultComputeAccount(const api::crm::Project& project);

// By email or unique id.
std::optional<Row<api::iam::ServiceAccount>> FindServiceAccount(Txn& txn,
                                                                std::string_view email_or_number);

// Makes the row with its indexes and its policy. `account` brings projectId, email, displayName, description; the
// rest is filled in. kExists when the email is taken.
api::iam::ServiceAccount AddServiceAccount(Txn& txn, api::iam::ServiceAccount account, Time now,
                                           Random& random);
// With its policy and keys. Tokens of the account die with it.
void RemoveServiceAccount(Txn& txn, const api::iam::ServiceAccount& account);

}  // namespace fireweed::identity
