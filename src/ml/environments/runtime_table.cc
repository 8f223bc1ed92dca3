#include "ml/environments/runtime_table.h"

#include <algorithm>
#include <cctype>

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

std::string ProvidedFramework(const Runtime& runtime) {
  if (runtime.framework.empty()) return "";
  std::string name = runtime.framework;
  std::ranges::transform(name, name.begin(), [](unsigned char c) { return std::tolower(c); });
  if (name == "pytorch") name = "torch";
  for (const std::string& requirement : runtime.requirements) {
    size_t pin = requirement.find("==");
    if (pin == requirement.npos) continue;
    std::string_view package = std::string_view(requirement).substr(0, pin);
    if (package == name || package == name + "-cpu") return requirement.substr(pin + 2);
  }
  return "";
}

bool HasFrameworkOf(const Runtime& runtime, std::string_view version) {
  // "pytorch-gpu.1-10" is 1.10.
  std::string digits(version.substr(std::min(version.size(), version.find_first_of("0123456789"))));
  std::ranges::replace(digits, '-', '.');
  std::string provided = ProvidedFramework(runtime);
  return provided == digits || provided.starts_with(digits + ".");
}

std::string FingerprintOf(const std::vector<std::string>& requirements) {
  std::string text;
  for (const std::string& requirement : requirements) text += requirement + "\n";
  return text;
}

}  // namespace fireweed::ml
