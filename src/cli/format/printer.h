// Resources as --format asks for: json, yaml, table(...), value(...), csv(...), list, text, flattened, none. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/format/projection.h"
#include "describe/json_tree.h"

namespace fireweed::cli {

enum class Shape {
  kList,  // any number of resources: json is an array, yaml one document each
  kOne,   // what `describe` shows
};

// What is printed. `projection`.format "table", "value" and "csv" need columns; a bare "table" takes those of
// `usual`. Throws Failure(kInvalid) for a format that does not exist.
std::string Render(const std::vector<JsonTree>& resources, const Projection& projection,
                   Shape shape);

// The words of --format there are.
std::vector<std::string_view> FormatNames();

}  // namespace fireweed::cli
