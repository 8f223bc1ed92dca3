// Roles and scopes as sets of permissions. A role grants by patterns ("storage.objects.*"); a scope limits what
// a token may do, whatever its principal's roles grant.
// Tables are constants: any thread, nothing blocks, nothing fails.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace fireweed::identity {

struct Role {
  std::string_view name;  // "roles/storage.objectViewer"
  std::string_view title;
  std::string_view description;
  std::span<const std::string_view> grants;     // patterns; '*' stands for any run of characters
  std::span<const std::string_view> withholds;  // taken out of `grants`

  bool Grants(std::string_view permission) const;
};

std::span<const Role> AllRoles();
const Role* FindRole(std::string_view name);

// A role of a service that we serve must be in the table; one of a service that we do not have may be bound
// (scripts do) and grants nothing.
bool MayBeBound(std::string_view role);

// Whether a token with these scopes may use `permission`. No scopes at all means no limit. A scope nobody here
// knows opens nothing.
bool ScopesAllow(const std::vector<std::string>& scopes, std::string_view permission);

inline constexpr std::string_view kCloudPlatformScope =
    "https://www.googleapis.com/auth/cloud-platform";

// Whether `text` matches a pattern in which '*' stands for any run of characters.
bool MatchesPattern(std::string_view pattern, std::string_view text);

}  // namespace fireweed::identity
