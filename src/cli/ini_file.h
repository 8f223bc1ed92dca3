// INI files as gcloud and boto write them, changed key by key: what the user set there stays.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace fireweed::cli {

class IniFile {
 public:
  static IniFile Parse(std::string_view text);

  void Set(std::string_view section, std::string_view key, std::string value);
  void SetDefault(std::string_view section, std::string_view key, std::string value);
  void Remove(std::string_view section, std::string_view key);
  std::optional<std::string> Get(std::string_view section, std::string_view key) const;
  std::string Text() const;

 private:
  struct Section {
    std::string name;
    std::vector<std::pair<std::string, std::string>> keys;
  };
  Section& Find(std::string_view name);

  std::vector<Section> sections_;
};

}  // namespace fireweed::cli
