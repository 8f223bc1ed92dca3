#include "compute/labels.h"

#include <algorithm>
#include <string_view>

#include <fmt/format.h>

#include "compute/links.h"
#include "compute/refusals.h"

namespace fireweed::compute {
namespace {

constexpr size_t kMostLabels = 64, kMostTags = 64;
constexpr std::ptrdiff_t kLongest = 63;  // characters

// International characters are taken as they come.
bool IsLetter(unsigned char c) { return (c >= 'a' && c <= 'z') || c >= 0x80; }
bool IsFine(unsigned char c) {
  return IsLetter(c) || (c >= '0' && c <= '9') || c == '_' || c == '-';
}

bool IsWord(std::string_view text) {
  auto begins = [](unsigned char c) { return (c & 0xC0) != 0x80; };  // a character of UTF-8
  return std::ranges::all_of(text, IsFine) && std::ranges::count_if(text, begins) <= kLongest;
}

void CheckLabel(std::string_view key, std::string_view value) {
  if (key.empty() || !IsLetter(static_cast<unsigned char>(key.front())) || !IsWord(key)) {
    InvalidField("resource.labels", "",
                 fmt::format("Label key '{}' violates format constraints. The key must start with "
                             "a lowercase character, can only contain lowercase letters, numeric "
                             "characters, underscores and dashes. The key can be at most 63 "
                             "characters long. International characters are allowed.",
                             key));
  }
  if (!IsWord(value)) {
    InvalidField("resource.labels", "",
                 fmt::format("Label value '{}' violates format constraints. The value can only "
                             "contain lowercase letters, numeric characters, underscores and "
                             "dashes. The value can be at most 63 characters long. International "
                             "characters are allowed.",
                             value));
  }
}

}  // namespace

void CheckLabels(const Labels& labels, const Labels& present) {
  if (labels.size() > kMostLabels) {
    InvalidField("resource.labels", "", "A resource can have at most 64 labels.");
  }
  for (const auto& [key, value] : labels) {
    auto same = present.find(key);
    if (same == present.end() || same->second != value) CheckLabel(key, value);
  }
}

void CheckTags(const std::vector<std::string>& tags) {
  if (tags.size() > kMostTags) {
    InvalidField("resource.tags.items", "", "An instance can have at most 64 tags.");
  }
  for (size_t i = 0; i < tags.size(); ++i) {
    if (IsResourceName(tags[i])) continue;
    InvalidField(fmt::format("resource.tags.items[{}]", i), tags[i],
                 "Must be a match of regex '(?:[a-z](?:[-a-z0-9]{0,61}[a-z0-9])?)'");
  }
}

}  // namespace fireweed::compute
