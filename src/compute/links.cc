#include "compute/links.h"

#include <algorithm>

#include <fmt/format.h>

namespace fireweed::compute {
namespace {

constexpr size_t kLongestName = 63;

std::vector<std::string> Words(std::string_view path) {
  std::vector<std::string> words;
  while (!path.empty()) {
    size_t slash = path.find('/');
    if (slash != 0) words.emplace_back(path.substr(0, slash));
    if (slash == std::string_view::npos) break;
    path.remove_prefix(slash + 1);
  }
  return words;
}

}  // namespace

std::string ProjectLink(std::string_view project) {
  return fmt::format("{}projects/{}", kLinkRoot, project);
}
std::string ZoneLink(std::string_view project, std::string_view zone) {
  return fmt::format("{}projects/{}/zones/{}", kLinkRoot, project, zone);
}
std::string RegionLink(std::string_view project, std::string_view region) {
  return fmt::format("{}projects/{}/regions/{}", kLinkRoot, project, region);
}
std::string ScopedLink(std::string_view project, std::string_view scope,
                       std::string_view collection, std::string_view name) {
  return fmt::format("{}projects/{}/{}/{}/{}", kLinkRoot, project, scope, collection, name);
}

std::string_view RegionOf(std::string_view zone) {
  size_t dash = zone.rfind('-');
  return dash == std::string_view::npos ? std::string_view() : zone.substr(0, dash);
}

ResourceRef ParseRef(std::string_view text) {
  if (size_t scheme = text.find("://"); scheme != std::string_view::npos) {
    size_t path = text.find('/', scheme + 3);
    text = path == std::string_view::npos ? std::string_view() : text.substr(path);
  }
  std::vector<std::string> words = Words(text);
  ResourceRef ref;
  auto at = std::find(words.begin(), words.end(), "projects");
  if (at != words.end() && at + 1 != words.end()) {
    ref.project = at[1];
    words.erase(words.begin(), at + 2);
  }
  ref.path = std::move(words);
  if (ref.path.empty()) ref.path.emplace_back();
  return ref;
}

std::string LastWord(std::string_view text) { return ParseRef(text).name(); }

bool IsResourceName(std::string_view name) {
  auto lower = [](char c) { return c >= 'a' && c <= 'z'; };
  auto inner = [&](char c) { return lower(c) || (c >= '0' && c <= '9') || c == '-'; };
  return !name.empty() && name.size() <= kLongestName && lower(name.front()) &&
         name.back() != '-' && std::all_of(name.begin(), name.end(), inner);
}

}  // namespace fireweed::compute
