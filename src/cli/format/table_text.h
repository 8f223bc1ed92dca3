// table(...) of --format: aligned columns under upper-case headings, or table[box] with lines around. Pure.
#pragma once

#include <string>
#include <vector>

#include "cli/format/projection.h"
#include "describe/json_tree.h"

namespace fireweed::cli {

// Nothing at all, heading included, when there are no resources. REQUIRES: columns.
std::string TableText(const std::vector<JsonTree>& resources, const Projection& projection);
// How many columns of a terminal `text` takes: code points, not bytes.
size_t DisplayWidth(std::string_view text);

}  // namespace fireweed::cli
