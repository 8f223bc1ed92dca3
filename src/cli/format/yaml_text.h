// Writes YAML as gcloud shows resources: members by name, lists at their key's margin, blocks for long text. Pure.
#pragma once

#include <string>

#include "describe/json_tree.h"

namespace fireweed::cli {

// Without "---"; ends in a line end.
std::string YamlText(const JsonTree& value);

}  // namespace fireweed::cli
