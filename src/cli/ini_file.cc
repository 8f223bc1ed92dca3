#include "cli/ini_file.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/bytes.h"

namespace fireweed::cli {

IniFile IniFile::Parse(std::string_view text) {
  IniFile file;
  Section* section = nullptr;
  while (!text.empty()) {
    size_t end = text.find('\n');
    std::string_view line = Trim(text.substr(0, end));
    text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
    if (line.empty() || line[0] == '#' || line[0] == ';') continue;
    if (line.front() == '[' && line.back() == ']') {
      section = &file.Find(line.substr(1, line.size() - 2));
      continue;
    }
    size_t equals = line.find('=');
    if (!section || equals == std::string_view::npos) continue;
    section->keys.emplace_back(Trim(line.substr(0, equals)), Trim(line.substr(equals + 1)));
  }
  return file;
}

IniFile::Section& IniFile::Find(std::string_view name) {
  for (Section& section : sections_) {
    if (section.name == name) return section;
  }
  return sections_.emplace_back(Section{std::string(name), {}});
}

void IniFile::Set(std::string_view section, std::string_view key, std::string value) {
  for (auto& [name, old] : Find(section).keys) {
    if (name == key) {
      old = std::move(value);
      return;
    }
  }
  Find(section).keys.emplace_back(key, std::move(value));
}

void IniFile::SetDefault(std::string_view section, std::string_view key, std::string value) {
  for (const auto& [name, old] : Find(section).keys) {
    if (name == key) return;
  }
  Set(section, key, std::move(value));
}

void IniFile::Remove(std::string_view section, std::string_view key) {
  std::erase_if(Find(section).keys, [&](const auto& pair) { return pair.first == key; });
}

std::optional<std::string> IniFile::Get(std::string_view section, std::string_view key) const {
  for (const Section& one : sections_) {
    if (one.name != section) continue;
    for (const auto& [name, value] : one.keys) {
      if (name == key) return value;
    }
  }
  return std::nullopt;
}

std::string IniFile::Text() const {
  std::string out;
  for (const Section& section : sections_) {
    if (section.keys.empty()) continue;
    out += fmt::format("{}[{}]\n", out.empty() ? "" : "\n", section.name);
    for (const auto& [key, value] : section.keys) out += fmt::format("{} = {}\n", key, value);
  }
  return out;
}

}  // namespace fireweed::cli
