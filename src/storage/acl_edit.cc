#include "storage/acl_edit.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/bytes.h"

namespace fireweed::storage {

using api::storage::AccessEntry;

AccessEntry& EntryOf(Acl& acl, std::string_view entity) {
  auto entry = std::find_if(acl.begin(), acl.end(), [&](const AccessEntry& e) {
    return EqualIgnoreCase(e.entity, entity);
  });
  if (entry == acl.end()) {
    throw Failure(Code::kNotFound, fmt::format("No such access control entry: {}", entity));
  }
  return *entry;
}

void SetEntry(Acl& acl, const AccessEntry& entry) {
  if (entry.entity.empty()) throw Failure(Code::kInvalid, "required", "Required field: entity");
  if (entry.role.empty()) throw Failure(Code::kInvalid, "required", "Required field: role");
  acl.push_back(entry);  // the last of an entity stands
}

void EditEntry(Acl& acl, std::string_view entity, const Json& body, EditForm form) {
  AccessEntry& entry = EntryOf(acl, entity);
  AccessEntry changed = entry;
  if (form == EditForm::kPatch)
    PatchJson(changed, body.text);
  else
    UpdateJson(changed, body.text);
  if (changed.role.empty()) throw Failure(Code::kInvalid, "required", "Required field: role");
  entry.role = changed.role;
}

void RemoveEntry(Acl& acl, std::string_view entity) {
  AccessEntry& entry = EntryOf(acl, entity);
  acl.erase(acl.begin() + (&entry - acl.data()));
}

}  // namespace fireweed::storage
