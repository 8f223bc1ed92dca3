#include "init/account_files.h"

#include <algorithm>
#include <charconv>
#include <set>

namespace fireweed {
namespace {

// The ranges of login.defs: people's accounts, and groups of the system from the top down.
constexpr uint32_t kFirstId = 1000, kLastId = 60000;
constexpr uint32_t kFirstSystemId = 100, kLastSystemId = 999;

std::vector<std::string_view> Split(std::string_view text, char between) {
  std::vector<std::string_view> parts;
  while (true) {
    size_t at = text.find(between);
    parts.push_back(text.substr(0, at));
    if (at == text.npos) return parts;
    text.remove_prefix(at + 1);
  }
}

std::optional<uint32_t> Number(std::string_view text) {
  uint32_t number = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (text.empty() || error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

// The fields of the line whose first field is `name`, empty ones included.
std::vector<std::string_view> LineOf(std::string_view file, std::string_view name) {
  for (std::string_view line : Split(file, '\n')) {
    if (line.starts_with(name) && line.substr(name.size(), 1) == ":") return Split(line, ':');
  }
  return {};
}

// The third fields of all lines: the numbers that are in use.
std::set<uint32_t> UsedIds(std::string_view file) {
  std::set<uint32_t> used;
  for (std::string_view line : Split(file, '\n')) {
    std::vector<std::string_view> fields = Split(line, ':');
    if (fields.size() < 3) continue;
    if (std::optional<uint32_t> id = Number(fields[2])) used.insert(*id);
  }
  return used;
}

void AddLine(std::string& file, const std::string& line) {
  if (!file.empty() && file.back() != '\n') file += '\n';
  file += line + "\n";
}

// Adds `member` at the end of the line of `group`, whose last field lists members.
void AddMember(std::string& file, const std::string& group, const std::string& member) {
  std::vector<std::string_view> fields = LineOf(file, group);
  if (fields.size() < 4) return;
  std::vector<std::string_view> members = Split(fields.back(), ',');
  if (std::ranges::find(members, std::string_view(member)) != members.end()) return;
  size_t end = static_cast<size_t>(fields.back().data() + fields.back().size() - file.data());
  file.insert(end, (fields.back().empty() ? "" : ",") + member);
}

}  // namespace

std::optional<PasswdEntry> FindPasswd(std::string_view passwd, std::string_view name) {
  std::vector<std::string_view> fields = LineOf(passwd, name);
  if (fields.size() < 7) return std::nullopt;
  std::optional<uint32_t> uid = Number(fields[2]), gid = Number(fields[3]);
  if (!uid || !gid) return std::nullopt;
  return PasswdEntry{*uid, *gid, std::string(fields[5])};
}

std::optional<uint32_t> FindGroup(std::string_view group, std::string_view name) {
  std::vector<std::string_view> fields = LineOf(group, name);
  return fields.size() < 3 ? std::nullopt : Number(fields[2]);
}

std::vector<uint32_t> GroupsOfMember(std::string_view group, std::string_view name) {
  std::vector<uint32_t> ids;
  for (std::string_view line : Split(group, '\n')) {
    std::vector<std::string_view> fields = Split(line, ':');
    if (fields.size() < 4) continue;
    std::vector<std::string_view> members = Split(fields[3], ',');
    std::optional<uint32_t> id = Number(fields[2]);
    if (id && std::ranges::find(members, name) != members.end()) ids.push_back(*id);
  }
  return ids;
}

std::optional<PasswdEntry> AddAccount(AccountFiles& files, const std::string& name, int64_t day) {
  std::set<uint32_t> uids = UsedIds(files.passwd), gids = UsedIds(files.group);
  // A number above all others, as useradd takes: files of deleted accounts keep their owner to themselves.
  uint32_t id = kFirstId;
  for (uint32_t used : uids) {
    if (used >= id && used <= kLastId) id = used + 1;
  }
  while (id <= kLastId && (uids.contains(id) || gids.contains(id))) ++id;
  if (id > kLastId) return std::nullopt;
  std::string number = std::to_string(id);
  std::optional<uint32_t> own_group = FindGroup(files.group, name);
  if (!own_group) {
    AddLine(files.group, name + ":x:" + number + ":");
    AddLine(files.gshadow, name + ":!::");
  }
  PasswdEntry entry{id, own_group.value_or(id), "/home/" + name};
  AddLine(files.passwd, name + ":x:" + number + ":" + std::to_string(entry.gid) +
                            "::" + entry.home + ":/bin/bash");
  // "*" is a password that nothing matches, but not a lock: sshd refuses locked accounts.
  AddLine(files.shadow, name + ":*:" + std::to_string(day) + ":0:99999:7:::");
  return entry;
}

void AddSystemGroup(AccountFiles& files, const std::string& name) {
  if (FindGroup(files.group, name)) return;
  std::set<uint32_t> used = UsedIds(files.group);
  for (uint32_t id = kLastSystemId; id >= kFirstSystemId; --id) {
    if (used.contains(id)) continue;
    AddLine(files.group, name + ":x:" + std::to_string(id) + ":");
    AddLine(files.gshadow, name + ":!::");
    return;
  }
}

void AddToGroups(AccountFiles& files, const std::string& name,
                 const std::vector<std::string>& groups) {
  for (const std::string& group : groups) {
    AddMember(files.group, group, name);
    AddMember(files.gshadow, group, name);
  }
}

}  // namespace fireweed
