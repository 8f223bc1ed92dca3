// Access control lists as the XML API writes them. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/storage/access_control.h"

namespace fireweed::storage {

std::string XmlOfAcl(const std::vector<api::storage::AccessEntry>& acl,
                     const std::optional<api::storage::Owner>& owner);
// Throws Failure(kInvalid, "MalformedACLError") on text that is no list.
std::vector<api::storage::AccessEntry> AclOfXml(std::string_view xml);

}  // namespace fireweed::storage
