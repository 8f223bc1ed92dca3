#include "ml/environments/runtime_table.h"

#include <algorithm>

#include "describe/json_codec.h"

namespace fireweed::ml {

const Runtime* RuntimeTable::Find(std::string_view version) const {
  static const Runtime kPlain{};
  if (version.empty()) return &kPlain;
  for (auto row = runtimes.rbegin(); row != runtimes.rend(); ++row) {
    if (std::ranges::find(row->versions, version) != row->versions.end()) return &*row;
  }
  return nullptr;
}

std::vector<std::string> RuntimeTable::Versions() const {
  std::vector<std::string> all;
  for (const Runtime& row : runtimes) {
    for (const std::string& version : row.versions) {
      if (std::ranges::find(all, version) == all.end()) all.push_back(version);
    }
  }
  return all;
}

RuntimeTable ParseRuntimes(std::string_view yaml) {
  return DecodeJson<RuntimeTable>(
      YamlToJson(yaml),
      {.unknown = UnknownFields::kRefuse, .from_client = true, .lenient_scalars = true});
}

std::string FingerprintOf(const Runtime& runtime) {
  std::string text;
  for (const std::string& requirement : runtime.requirements) text += requirement + "\n";
  return text;
}

}  // namespace fireweed::ml
