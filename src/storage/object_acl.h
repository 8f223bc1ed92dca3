// The list of an object: what it starts with, what it says in full, and what a bucket's settings forbid.
// Pure.
//
// A row without a list of its own means the usual one, projectPrivate: most objects have no more to say, and
// rows stay small. Whoever made the object is its owner and always has OWNER.
#pragma once

#include "storage/acl.h"
#include "storage/object_row.h"

namespace fireweed::storage {

// The list as it counts, owner included.
Acl EffectiveAcl(const api::storage::Object& object, const api::storage::Bucket& bucket);

// The list of an object that is made now: the one it came with, else the bucket's default.
// Failure when the bucket does not take lists, or not this one.
void SettleNewAcl(const api::storage::Bucket& bucket, ObjectRow& row);

// A row that was copied, as the start of a new object: its list and holds are not copied.
void ForgetForCopy(ObjectRow& row, const Acl& acl);

// A list that was emptied leaves the owner; it does not become the usual one.
void CloseEmptyAcl(const api::storage::Bucket& bucket, api::storage::Object& object);

// Normalises a changed list. Failure when the bucket does not take it.
void SettleChangedAcl(const api::storage::Bucket& bucket, const Acl& before,
                      api::storage::Object& after);

// Failure(kInvalid) in Google's words when access is uniform: `what` begins the message.
void RefuseUniform(const api::storage::Bucket& bucket, std::string_view what);

}  // namespace fireweed::storage
