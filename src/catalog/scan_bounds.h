// The half-open key interval [first, end) that a ScanRange asks for, the same for every engine.
#pragma once

#include <optional>
#include <string>

#include "catalog/catalog.h"

namespace fireweed {

struct ScanBounds {
  std::string first;               // inclusive
  std::optional<std::string> end;  // exclusive; none means "to the last key of the kind"

  bool empty() const { return end && *end <= first; }
};

ScanBounds BoundsOf(const ScanRange& range);

// The smallest key greater than every key that begins with `prefix`; none where there is no such
// key.
std::optional<std::string> PrefixEnd(std::string_view prefix);

}  // namespace fireweed
