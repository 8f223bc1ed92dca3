// Access control lists: the predefined ones, their complete form on the wire, and what a bucket's
// list says as policy bindings. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "api/policy.h"
#include "api/storage/bucket.h"
#include "api/storage/object.h"

namespace fireweed::storage {

using Acl = std::vector<api::storage::AccessEntry>;

// "private", "projectPrivate", "publicRead", ...; Failure(kInvalid) for a word that is none.
// `owner` is an email.
Acl PredefinedBucketAcl(std::string_view word, int64_t project_number, std::string_view owner);
Acl PredefinedObjectAcl(std::string_view word, int64_t project_number, std::string_view owner);

// Refuses entries without entity or role; upper-cases roles; the last entry of an entity stands.
void NormalizeAcl(Acl& acl);

// Fills what the server adds to each entry: kind, id, links, email, team.
void CompleteBucketAcl(api::storage::Bucket& bucket);
void CompleteObjectAcl(api::storage::Object& object);

// A bucket's list and the bindings of the three legacy bucket roles say the same in two ways.
std::vector<api::Binding> LegacyBindings(const Acl& acl, std::string_view project);
Acl AclOfBindings(const std::vector<api::Binding>& bindings, std::string_view project,
                  int64_t project_number);
bool IsLegacyBucketRole(std::string_view role);

}  // namespace fireweed::storage
