// Text to tree, for EntryFilter. Pure.
#pragma once

#include <string_view>

#include "logs/filter_node.h"

namespace fireweed::logs {

// Null for an empty filter. Throws Failure(kInvalid) with the place of what it does not understand.
FilterNodePtr ParseFilter(std::string_view text);

}  // namespace fireweed::logs
