// Edits the texts of passwd, shadow, group and gshadow, as useradd and usermod do. Those programs sync each file to disk and
// take a tenth of a second per account; a startup script waits for its accounts.
// Threading: pure functions, any thread.
// Errors: AddAccount returns nullopt when no id is free.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fireweed {

struct AccountFiles {
  std::string passwd, shadow, group, gshadow;
  bool operator==(const AccountFiles&) const = default;
};

struct PasswdEntry {
  uint32_t uid = 0, gid = 0;
  std::string home;
};

// The line of `name` in a passwd file.
std::optional<PasswdEntry> FindPasswd(std::string_view passwd, std::string_view name);
// The number of the group `name` in a group file.
std::optional<uint32_t> FindGroup(std::string_view group, std::string_view name);
// The numbers of all groups that list `name` as a member.
std::vector<uint32_t> GroupsOfMember(std::string_view group, std::string_view name);

// Adds an account with a group of its own, a home below /home, bash, and a password that nothing matches. `day` is today,
// counted in days since 1970. REQUIRES: passwd does not have it.
std::optional<PasswdEntry> AddAccount(AccountFiles& files, const std::string& name, int64_t day);

// Adds a system group, unless it exists.
void AddSystemGroup(AccountFiles& files, const std::string& name);

// Adds `name` to the members of each group that exists; the others are skipped.
void AddToGroups(AccountFiles& files, const std::string& name,
                 const std::vector<std::string>& groups);

}  // namespace fireweed
