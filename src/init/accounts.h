// Accounts of the machine from metadata: made with a home directory and sudo, given the keys that may log in, and
// taken out of sudo when their last key is gone. Changes files of the image; calls useradd, usermod and gpasswd.
// Called in a process of its own, by one at a time (it takes a lock); may block for those programs.
// A failure of one account is said on the console and does not stop the others.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "init/http_get.h"
#include "init/ssh_keys.h"

namespace fireweed {

// What the metadata server says now. nullopt: it does not answer, and accounts are best left as they are.
std::optional<KeyMetadata> ReadKeyMetadata(const HttpServer& server);

struct PasswdEntry {
  uint32_t uid = 0, gid = 0;
  std::string home;
};
// The line of `name` in a passwd file. Pure.
std::optional<PasswdEntry> FindPasswd(std::string_view passwd, std::string_view name);
// Which of `wanted` a group file has. Pure.
std::vector<std::string> GroupsThere(std::string_view group,
                                     const std::vector<std::string>& wanted);

void UpdateAccounts(const KeyMetadata& metadata);

}  // namespace fireweed
