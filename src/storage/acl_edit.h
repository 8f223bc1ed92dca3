// One entry of a list at a time: found, set, patched, removed. Pure.
#pragma once

#include "describe/json_codec.h"
#include "storage/acl.h"

namespace fireweed::storage {

// Failure(kNotFound) when the list has no such entity.
api::storage::AccessEntry& EntryOf(Acl& acl, std::string_view entity);

// Adds the entry, or gives an entity that is there its role.
void SetEntry(Acl& acl, const api::storage::AccessEntry& entry);

// A change of one entry by a client's JSON: only its role can change.
enum class EditForm { kPatch, kUpdate };
void EditEntry(Acl& acl, std::string_view entity, const Json& body, EditForm form);

void RemoveEntry(Acl& acl, std::string_view entity);

}  // namespace fireweed::storage
