// What a column may do to its value: zone.basename(), tags.items.list(), creationTimestamp.date('%Y-%m-%d'). Pure.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "describe/json_tree.h"

namespace fireweed::cli {

struct Transform {
  std::string name;
  std::vector<std::string> arguments;        // positional, in order
  std::map<std::string, std::string> named;  // key=value

  // The positional argument at `i`, or the one called `key`; else `fallback`.
  std::string Argument(size_t i, std::string_view key, std::string_view fallback) const;
};

// Throws Failure(kInvalid) for a name that is none of TransformNames().
JsonTree ApplyTransform(const Transform& transform, const JsonTree& value);
bool IsTransform(std::string_view name);
std::vector<std::string_view> TransformNames();

// "1.5 KiB" and the like, as ls -lh and size() show it.
std::string SizeText(int64_t bytes);
// A value in one line: lists and objects joined by `separator`, members as key=value.
std::string OneLine(const JsonTree& value, std::string_view separator);

}  // namespace fireweed::cli
