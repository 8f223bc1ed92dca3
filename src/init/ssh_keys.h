// Who may log in by ssh, from `ssh-keys` in the metadata of instance and project. Pure.
//
//   USER:ssh-ed25519 AAAA... comment
//   USER:ssh-rsa AAAA... google-ssh {"userName":"ann@x","expireOn":"2026-11-15T07:39:58+0000"}
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fireweed {

struct KeyMetadata {
  std::optional<std::string> instance_keys, project_keys;      // ssh-keys
  std::optional<std::string> instance_legacy, project_legacy;  // sshKeys
  std::optional<std::string> block_project;  // block-project-ssh-keys of the instance
};

// Accounts by name, with their keys in order and each once. The old `sshKeys` of an instance shuts out the project's
// keys, as block-project-ssh-keys does. Expired keys (`now` in seconds since 1970), broken lines and names that no
// account can have are left out.
std::map<std::string, std::vector<std::string>> AccountsOf(const KeyMetadata& metadata,
                                                           int64_t now);

// An authorized_keys file with `keys` in place of those that were put there from metadata before; lines that somebody
// else wrote stay.
std::string AuthorizedKeysWith(std::string_view before, const std::vector<std::string>& keys);

bool IsAccountName(std::string_view name);

}  // namespace fireweed
