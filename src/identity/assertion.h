// A JWT that a service account made for itself with one of its keys: the jwt-bearer grant, and bearer tokens that
// newer libraries sign instead of asking for one.
// Pool threads; reads the catalog.
#pragma once

#include <string>
#include <vector>

#include "api/iam/service_account.h"
#include "base/clock.h"
#include "base/result.h"
#include "catalog/catalog.h"
#include "identity/jwt.h"

namespace fireweed::identity {

// The account that signed it, when account, key, signature and times are good; else what is wrong, in words for
// the requester. The audience is the caller's business.
Result<api::iam::ServiceAccount> VerifyAssertion(const Catalog& catalog, const Jwt& jwt, Time now);

// Whether any live key of the account made this RS256 signature: signed URLs. False for unknown accounts.
bool VerifyAccountSignature(const Catalog& catalog, std::string_view email, std::string_view text,
                            std::string_view signature, Time now);

// "a b" of a scope claim or parameter as a list.
std::vector<std::string> SplitScopes(std::string_view text);

}  // namespace fireweed::identity
