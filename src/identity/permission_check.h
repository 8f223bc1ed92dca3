// "May X do P on R?" as a pure function of policy and group rows: no clock, cache or I/O of its own.
#pragma once

#include <memory>
#include <string_view>

#include "catalog/catalog.h"
#include "identity/records.h"
#include "net/access.h"

namespace fireweed::identity {

// Where the rows come from: memory, the catalog, a test's table. Null means there is no such row.
class PolicyRows {
 public:
  virtual ~PolicyRows() = default;
  virtual std::shared_ptr<const Row<PolicyRecord>> Policy(std::string_view resource) = 0;
  virtual std::shared_ptr<const Row<GroupRecord>> Group(std::string_view email) = 0;
};

// The bindings of the resource and of its parents, added up; a token's scopes take away from that.
//   - "a/b/c/d" without a row of its own is judged by "a/b"; an empty resource by the root.
//   - A resource without any row does not exist: true for everybody who is signed in (the handler says 404).
bool IsAllowed(PolicyRows& rows, const net::Caller& caller, std::string_view permission,
               std::string_view resource);

// Whether the caller is one of these policy members: groups, domains and project teams are looked up. For lists
// that are no policies (an object's ACL). Scopes are the asker's business.
enum class Public { kCounts, kNobody };  // what allUsers and allAuthenticatedUsers are worth
bool IsOneOf(PolicyRows& rows, const net::Caller& caller, const std::vector<std::string>& members,
             Public open);

// Rows as a transaction sees them.
class TxnPolicyRows final : public PolicyRows {
 public:
  explicit TxnPolicyRows(Txn& txn) : txn_(txn) {}
  std::shared_ptr<const Row<PolicyRecord>> Policy(std::string_view resource) override;
  std::shared_ptr<const Row<GroupRecord>> Group(std::string_view email) override;

 private:
  Txn& txn_;
};

}  // namespace fireweed::identity
