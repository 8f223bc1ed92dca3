// IAM v1: roles, read-only.
#pragma once

#include <string>
#include <vector>

#include "api/iam/service_account.h"

namespace fireweed::api::iam {

struct Role {
  std::string name, title, description;
  std::vector<std::string> includedPermissions;  // patterns; in get and with view=FULL
  std::string stage;
  Bytes etag;
};

struct ListRoles {
  int32_t pageSize = 0;
  std::string pageToken, view;
};
struct RoleList {
  std::vector<Role> roles;
  std::string nextPageToken;
};
struct GetRole {
  std::string role;
};

// The same for everybody who is signed in.
inline constexpr Method<ListRoles, RoleList> kListRoles{kService, Verb::kGet, "/v1/roles",
                                                        "iam.roles.list"};
inline constexpr Method<GetRole, Role> kGetRole{kService, Verb::kGet, "/v1/roles/{role}",
                                                "iam.roles.get"};

}  // namespace fireweed::api::iam

namespace fireweed {
template <>
inline constexpr std::string_view kTypeName<api::iam::Role> = "Role";
template <>
inline constexpr auto kFields<api::iam::Role> = [](auto...) {
  return Fields{F("name", &api::iam::Role::name),
                F("title", &api::iam::Role::title),
                F("description", &api::iam::Role::description),
                F("includedPermissions", &api::iam::Role::includedPermissions),
                F("stage", &api::iam::Role::stage),
                F("etag", &api::iam::Role::etag)};
};
template <>
inline constexpr auto kFields<api::iam::ListRoles> = [](auto...) {
  return Fields{F("pageSize", &api::iam::ListRoles::pageSize, kQuery),
                F("pageToken", &api::iam::ListRoles::pageToken, kQuery),
                F("view", &api::iam::ListRoles::view, kQuery)};
};
template <>
inline constexpr std::string_view kTypeName<api::iam::RoleList> = "ListRolesResponse";
template <>
inline constexpr auto kFields<api::iam::RoleList> = [](auto...) {
  return Fields{F("roles", &api::iam::RoleList::roles),
                F("nextPageToken", &api::iam::RoleList::nextPageToken)};
};
template <>
inline constexpr auto kFields<api::iam::GetRole> =
    [](auto...) { return Fields{F("role", &api::iam::GetRole::role, kPath)}; };
}  // namespace fireweed
