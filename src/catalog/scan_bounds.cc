#include "catalog/scan_bounds.h"

#include <algorithm>

namespace fireweed {

std::optional<std::string> PrefixEnd(std::string_view prefix) {
  std::string end(prefix);
  while (!end.empty() && static_cast<unsigned char>(end.back()) == 0xff) end.pop_back();
  if (end.empty()) return std::nullopt;
  end.back() = static_cast<char>(static_cast<unsigned char>(end.back()) + 1);
  return end;
}

ScanBounds BoundsOf(const ScanRange& range) {
  ScanBounds bounds{range.prefix, PrefixEnd(range.prefix)};
  if (range.from) bounds.first = std::max(bounds.first, *range.from);
  // In byte order nothing lies between a key and the same key with a zero byte behind it.
  if (range.after) bounds.first = std::max(bounds.first, *range.after + '\0');
  if (range.until && (!bounds.end || *range.until < *bounds.end)) bounds.end = range.until;
  return bounds;
}

}  // namespace fireweed
