// Access control lists: the predefined ones, their sound and their complete form, and what they say
// as policy bindings. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "api/policy.h"
#include "api/storage/bucket.h"
#include "api/storage/object.h"
#include "storage/acl_entity.h"

namespace fireweed::storage {

using Acl = std::vector<api::storage::AccessEntry>;

// Buckets have WRITER, objects do not; each has legacy roles of its own in policies.
enum class AclOf { kBucket, kObject };

// "private", "projectPrivate", "publicRead", ...; Failure(kInvalid) for a word that is none. A bucket
// is owned by its project's owners, an object by who makes it (`owner`, an email); a default list for
// objects to come names no owner.
Acl PredefinedBucketAcl(std::string_view word, int64_t project_number);
Acl PredefinedDefaultAcl(std::string_view word, int64_t project_number);
Acl PredefinedObjectAcl(std::string_view word, int64_t project_number, std::string_view owner);

// Entities and roles as they are kept, nothing else; the last entry of an entity stands.
// Failure(kInvalid) for what is no entity, or no role here.
void NormalizeAcl(Acl& acl, AclOf of);

// Failure(kPrecondition) when the change opens something to everybody. What was open before may stay
// in the list: it counts for nobody, and whoever changes the rest need not take it out.
void RefusePublic(const Acl& before, const Acl& after);
void RefusePublic(const std::vector<api::Binding>& before, const std::vector<api::Binding>& after);

// Fills what the server adds to each entry: kind, id, links, email, team.
void CompleteBucketAcl(api::storage::Bucket& bucket);
void CompleteObjectAcl(api::storage::Object& object);

// A list and the bindings of the legacy roles say the same in two ways.
std::vector<api::Binding> LegacyBindings(const Acl& acl, AclOf of, const ProjectNames& home);
Acl AclOfBindings(const std::vector<api::Binding>& bindings, AclOf of, const ProjectNames& home);
bool IsLegacyRole(std::string_view role, AclOf of);
// "roles/storage.legacyObjectReader" for READER; empty when there is no such role.
std::string_view LegacyRole(std::string_view acl_role, AclOf of);

ProjectNames HomeOf(const api::storage::Bucket& bucket);

}  // namespace fireweed::storage
