#include "compute/metadata_items.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "base/error.h"
#include "compute/completion.h"
#include "compute/fingerprint.h"

namespace fireweed::compute {
namespace {

constexpr size_t kLongestKey = 128;
constexpr size_t kLongestValue = 256 << 10;
constexpr size_t kLargestTotal = 512 << 10;

bool IsKey(std::string_view key) {
  auto fine = [](unsigned char c) { return std::isalnum(c) || c == '-' || c == '_'; };
  return !key.empty() && key.size() <= kLongestKey && std::ranges::all_of(key, fine);
}

[[noreturn]] void Refuse(const std::string& field, const std::string& why) {
  throw Failure(Code::kInvalid, fmt::format("Invalid value for field '{}': {}", field, why));
}

}  // namespace

void CheckMetadata(const api::compute::Metadata& metadata) {
  std::set<std::string_view> seen;
  size_t total = 0;
  for (size_t i = 0; i < metadata.items.size(); ++i) {
    const api::compute::MetadataItem& item = metadata.items[i];
    std::string field = fmt::format("metadata.items[{}].", i);
    if (!IsKey(item.key)) {
      Refuse(field + "key", fmt::format("'{}'. Must be a match of regex '[a-zA-Z0-9-_]{{1,128}}'.",
                                        item.key.substr(0, kLongestKey)));
    }
    if (!seen.insert(item.key).second) {
      Refuse(field + "key", fmt::format("'{}'. The key comes twice.", item.key));
    }
    if (item.value.size() > kLongestValue) {
      Refuse(field + "value", fmt::format("Value is too long: at most {} bytes.", kLongestValue));
    }
    if (item.key == kCompletionKey) CheckCompletion(field + "value", item.value);
    total += item.key.size() + item.value.size();
  }
  if (total > kLargestTotal) {
    Refuse("metadata.items",
           fmt::format("Metadata is too large: at most {} bytes in all.", kLargestTotal));
  }
}

void SealMetadata(api::compute::Metadata& metadata) {
  metadata.fingerprint = FingerprintOf(metadata.items);
}

std::optional<std::string> FindMetadata(const api::compute::Metadata& metadata,
                                        std::string_view key) {
  for (const api::compute::MetadataItem& item : metadata.items) {
    if (item.key == key) return item.value;
  }
  return std::nullopt;
}

}  // namespace fireweed::compute
