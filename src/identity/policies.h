// What for: policy rows. A service makes a resource's row in the transaction that makes the resource and names
//   the parent ("buckets/B" -> "projects/P"), so that identity knows nothing of services.
// Who calls: services, inside catalog transactions, any thread. Nothing here blocks beyond the transaction.
// A failure: Failure, which rolls the transaction back.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "api/policy.h"
#include "catalog/catalog.h"
#include "net/access.h"

namespace fireweed::identity {

// kExists when the resource already has one.
void CreatePolicy(Txn& txn, std::string_view resource, std::string_view parent,
                  std::vector<api::Binding> bindings = {});
// Nothing happens when there is none.
void ErasePolicy(Txn& txn, std::string_view resource);

// With its etag, which changes with every change. kNotFound without a row.
api::Policy GetPolicy(Txn& txn, std::string_view resource);
// Replaces the bindings and returns the new policy. An etag that is not the present one is kExists (409
// ABORTED, as Google answers concurrent changes); no etag means "whatever was there". Unknown roles, malformed
// members and conditions are kInvalid: an ignored condition would open more than was asked for.
api::Policy SetPolicy(Txn& txn, std::string_view resource, const api::Policy& wanted);
// Adds one member to one role; nothing happens when it is there. For what the services bind themselves.
void AddBinding(Txn& txn, std::string_view resource, std::string_view role,
                std::string_view member);

// Whether grants to allUsers and allAuthenticatedUsers count on this resource; they do until this is said.
void PreventPublic(Txn& txn, std::string_view resource, bool prevent);

// Whether it has the form "service.things.verb". There is no list of all: owners hold every word, and what
// was misspelt must not be confirmed.
bool IsPermission(std::string_view text);
// Those of `permissions` that the caller has, in the same order: every service's testIamPermissions.
std::vector<std::string> GrantedOf(net::AccessControl& access, const net::Caller& caller,
                                   const std::vector<std::string>& permissions,
                                   std::string_view resource);

// "user:Ann@X.org" as stored ("user:ann@x.org"); kInvalid when it is no member at all.
std::string NormalMember(std::string_view member);

}  // namespace fireweed::identity
