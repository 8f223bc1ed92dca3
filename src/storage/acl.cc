#include "storage/acl.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "base/bytes.h"
#include "base/error.h"

namespace fireweed::storage {
namespace {

using api::storage::AccessEntry;

struct RolePair {
  std::string_view acl, iam;
};
constexpr std::array<RolePair, 3> kRoles{{{"OWNER", "roles/storage.legacyBucketOwner"},
                                          {"WRITER", "roles/storage.legacyBucketWriter"},
                                          {"READER", "roles/storage.legacyBucketReader"}}};
struct TeamPair {
  std::string_view team, member;  // "owners", "projectOwner"
};
constexpr std::array<TeamPair, 3> kTeams{
    {{"owners", "projectOwner"}, {"editors", "projectEditor"}, {"viewers", "projectViewer"}}};

AccessEntry Entry(std::string entity, std::string_view role) {
  AccessEntry entry;
  entry.entity = std::move(entity);
  entry.role = role;
  return entry;
}

std::string TeamEntity(std::string_view team, int64_t number) {
  return fmt::format("project-{}-{}", team, number);
}

Acl ProjectPrivate(int64_t number) {
  return {Entry(TeamEntity("owners", number), "OWNER"),
          Entry(TeamEntity("editors", number), "OWNER"),
          Entry(TeamEntity("viewers", number), "READER")};
}

Acl OwnerOnly(int64_t number, std::string_view owner) {
  if (owner.empty()) return {Entry(TeamEntity("owners", number), "OWNER")};
  return {Entry("user-" + std::string(owner), "OWNER")};
}

[[noreturn]] void RefuseWord(std::string_view word) {
  throw Failure(Code::kInvalid, "invalid", fmt::format("Invalid predefined ACL: '{}'", word));
}

bool IsServiceAccount(std::string_view email) { return email.ends_with(".gserviceaccount.com"); }

// "user-ann@x" as "user:ann@x"; empty when the entity has no member form.
std::string MemberOf(std::string_view entity, std::string_view project) {
  if (entity == "allUsers" || entity == "allAuthenticatedUsers") return std::string(entity);
  for (const TeamPair& pair : kTeams) {
    if (entity.starts_with(fmt::format("project-{}-", pair.team))) {
      return fmt::format("{}:{}", pair.member, project);
    }
  }
  size_t dash = entity.find('-');
  if (dash == std::string_view::npos) return {};
  std::string_view kind = entity.substr(0, dash), rest = entity.substr(dash + 1);
  if (kind == "user")
    return (IsServiceAccount(rest) ? "serviceAccount:" : "user:") + std::string(rest);
  if (kind == "group" || kind == "domain") return fmt::format("{}:{}", kind, rest);
  return {};
}

std::string EntityOf(std::string_view member, std::string_view project, int64_t number) {
  if (member == "allUsers" || member == "allAuthenticatedUsers") return std::string(member);
  size_t colon = member.find(':');
  if (colon == std::string_view::npos) return {};
  std::string_view kind = member.substr(0, colon), rest = member.substr(colon + 1);
  for (const TeamPair& pair : kTeams) {
    if (kind == pair.member) return rest == project ? TeamEntity(pair.team, number) : std::string();
  }
  if (kind == "user" || kind == "serviceAccount") return "user-" + std::string(rest);
  if (kind == "group" || kind == "domain") return fmt::format("{}-{}", kind, rest);
  return {};
}

// email, domain and team follow from the entity.
void CompleteEntity(AccessEntry& entry) {
  std::string_view entity = entry.entity;
  for (std::string_view kind : {"user-", "group-"}) {
    if (entity.starts_with(kind)) entry.email = entity.substr(kind.size());
  }
  if (entity.starts_with("domain-")) entry.domain = entity.substr(7);
  for (const TeamPair& pair : kTeams) {
    std::string head = fmt::format("project-{}-", pair.team);
    if (entity.starts_with(head)) {
      entry.projectTeam = api::storage::ProjectTeam{std::string(entity.substr(head.size())),
                                                    std::string(pair.team)};
    }
  }
}

}  // namespace

Acl PredefinedBucketAcl(std::string_view word, int64_t number, std::string_view owner) {
  if (word == "private") return OwnerOnly(number, owner);
  Acl acl = ProjectPrivate(number);
  if (word == "authenticatedRead")
    acl.push_back(Entry("allAuthenticatedUsers", "READER"));
  else if (word == "publicRead")
    acl.push_back(Entry("allUsers", "READER"));
  else if (word == "publicReadWrite")
    acl.push_back(Entry("allUsers", "WRITER"));
  else if (word != "projectPrivate")
    RefuseWord(word);
  return acl;
}

Acl PredefinedObjectAcl(std::string_view word, int64_t number, std::string_view owner) {
  if (word == "projectPrivate") return ProjectPrivate(number);
  Acl acl = OwnerOnly(number, owner);
  if (word == "authenticatedRead")
    acl.push_back(Entry("allAuthenticatedUsers", "READER"));
  else if (word == "publicRead")
    acl.push_back(Entry("allUsers", "READER"));
  else if (word == "bucketOwnerRead")
    acl.push_back(Entry(TeamEntity("owners", number), "READER"));
  else if (word == "bucketOwnerFullControl")
    acl.push_back(Entry(TeamEntity("owners", number), "OWNER"));
  else if (word != "private")
    RefuseWord(word);
  return acl;
}

void NormalizeAcl(Acl& acl) {
  Acl sound;
  for (AccessEntry& entry : acl) {
    for (char& c : entry.role) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c;
    bool known = std::any_of(kRoles.begin(), kRoles.end(),
                             [&](const RolePair& r) { return r.acl == entry.role; });
    if (entry.entity.empty() || !known) {
      throw Failure(Code::kInvalid, "invalid",
                    fmt::format("Invalid access control entry: entity '{}', role '{}'",
                                entry.entity, entry.role));
    }
    std::erase_if(sound, [&](const AccessEntry& other) { return other.entity == entry.entity; });
    sound.push_back(Entry(entry.entity, entry.role));
  }
  acl = std::move(sound);
}

void CompleteBucketAcl(api::storage::Bucket& bucket) {
  for (AccessEntry& entry : bucket.acl) {
    entry.kind = "storage#bucketAccessControl";
    entry.bucket = bucket.name;
    entry.id = bucket.name + "/" + entry.entity;
    entry.selfLink = fmt::format("{}/acl/{}", bucket.selfLink, PercentEncode(entry.entity));
    entry.etag = bucket.etag;
    CompleteEntity(entry);
  }
  for (AccessEntry& entry : bucket.defaultObjectAcl) {
    entry.kind = "storage#objectAccessControl";
    entry.etag = bucket.etag;
    CompleteEntity(entry);
  }
}

void CompleteObjectAcl(api::storage::Object& object) {
  for (AccessEntry& entry : object.acl) {
    entry.kind = "storage#objectAccessControl";
    entry.bucket = object.bucket;
    entry.object = object.name;
    entry.generation = object.generation;
    entry.id = fmt::format("{}/{}", object.id, entry.entity);
    entry.selfLink = fmt::format("{}/acl/{}", object.selfLink, PercentEncode(entry.entity));
    entry.etag = object.etag;
    CompleteEntity(entry);
  }
}

bool IsLegacyBucketRole(std::string_view role) {
  return std::any_of(kRoles.begin(), kRoles.end(),
                     [&](const RolePair& r) { return r.iam == role; });
}

std::vector<api::Binding> LegacyBindings(const Acl& acl, std::string_view project) {
  std::vector<api::Binding> bindings;
  for (const RolePair& role : kRoles) {
    api::Binding binding;
    binding.role = role.iam;
    for (const AccessEntry& entry : acl) {
      std::string member = entry.role == role.acl ? MemberOf(entry.entity, project) : "";
      if (!member.empty()) binding.members.push_back(std::move(member));
    }
    if (!binding.members.empty()) bindings.push_back(std::move(binding));
  }
  return bindings;
}

Acl AclOfBindings(const std::vector<api::Binding>& bindings, std::string_view project,
                  int64_t number) {
  Acl acl;
  for (const RolePair& role : kRoles) {
    for (const api::Binding& binding : bindings) {
      if (binding.role != role.iam) continue;
      for (const std::string& member : binding.members) {
        std::string entity = EntityOf(member, project, number);
        bool known = std::any_of(acl.begin(), acl.end(),
                                 [&](const AccessEntry& e) { return e.entity == entity; });
        if (!entity.empty() && !known) acl.push_back(Entry(std::move(entity), role.acl));
      }
    }
  }
  return acl;
}

}  // namespace fireweed::storage
