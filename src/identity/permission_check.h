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

}  // namespace fireweed::identity
