// Access control entries of buckets and objects, as the JSON API shows them.
#pragma once

#include <optional>
#include <string>

#include "describe/type.h"

namespace fireweed::api::storage {

struct ProjectTeam {
  std::string projectNumber, team;  // "owners", "editors", "viewers"
};

// One entry of an ACL. Buckets and objects share the shape; `object` and `generation` stay empty
// for a bucket.
struct AccessEntry {
  std::string kind, id, selfLink, bucket, object;
  std::optional<int64_t> generation;
  std::string entity;  // "user-ann@x", "project-owners-4711", "allUsers"
  std::string role;    // "OWNER", "WRITER", "READER"
  std::string email, entityId, domain;
  std::optional<ProjectTeam> projectTeam;
  std::string etag;
};

struct Owner {
  std::string entity, entityId;
};

}  // namespace fireweed::api::storage

namespace fireweed {
template <>
inline constexpr std::string_view kTypeName<api::storage::ProjectTeam> = "ProjectTeam";
template <>
inline constexpr auto kFields<api::storage::ProjectTeam> = [](auto...) {
  return Fields{F("projectNumber", &api::storage::ProjectTeam::projectNumber),
                F("team", &api::storage::ProjectTeam::team)};
};
template <>
inline constexpr std::string_view kTypeName<api::storage::AccessEntry> = "AccessControl";
template <>
inline constexpr auto kFields<api::storage::AccessEntry> = [](auto...) {
  return Fields{F("kind", &api::storage::AccessEntry::kind, kOutput),
                F("id", &api::storage::AccessEntry::id, kOutput),
                F("selfLink", &api::storage::AccessEntry::selfLink, kOutput),
                F("bucket", &api::storage::AccessEntry::bucket, kOutput),
                F("object", &api::storage::AccessEntry::object, kOutput),
                F("generation", &api::storage::AccessEntry::generation, kOutput),
                F("entity", &api::storage::AccessEntry::entity),
                F("role", &api::storage::AccessEntry::role),
                F("email", &api::storage::AccessEntry::email),
                F("entityId", &api::storage::AccessEntry::entityId),
                F("domain", &api::storage::AccessEntry::domain),
                F("projectTeam", &api::storage::AccessEntry::projectTeam),
                F("etag", &api::storage::AccessEntry::etag, kOutput)};
};
template <>
inline constexpr std::string_view kTypeName<api::storage::Owner> = "Owner";
template <>
inline constexpr auto kFields<api::storage::Owner> = [](auto...) {
  return Fields{F("entity", &api::storage::Owner::entity),
                F("entityId", &api::storage::Owner::entityId)};
};
}  // namespace fireweed
