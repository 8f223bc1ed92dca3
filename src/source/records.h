// What source repositories keep in the catalog. Key: "PROJECT/NAME".
#pragma once

#include <string>

#include "base/clock.h"
#include "catalog/record.h"

namespace fireweed::source {

struct RepoRecord {
  std::string project, name;
  std::string directory;  // base name below the store's root; never used twice
  Time created{};

  std::string key() const { return project + "/" + name; }
  std::string resource() const { return "projects/" + project + "/repos/" + name; }
};

}  // namespace fireweed::source

namespace fireweed {
template <>
inline constexpr std::string_view kTypeName<source::RepoRecord> = "RepoRecord";
template <>
inline constexpr auto kFields<source::RepoRecord> = [](auto...) {
  return Fields{F("project", &source::RepoRecord::project), F("name", &source::RepoRecord::name),
                F("directory", &source::RepoRecord::directory),
                F("created", &source::RepoRecord::created)};
};
template <>
inline constexpr std::string_view kRecordKind<source::RepoRecord> = "source.repo";
}  // namespace fireweed
