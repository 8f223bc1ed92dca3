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
  AclOf of;
  std::string_view acl, iam;
};
constexpr std::array<RolePair, 5> kRoles{
    {{AclOf::kBucket, "OWNER", "roles/storage.legacyBucketOwner"},
     {AclOf::kBucket, "WRITER", "roles/storage.legacyBucketWriter"},
     {AclOf::kBucket, "READER", "roles/storage.legacyBucketReader"},
     {AclOf::kObject, "OWNER", "roles/storage.legacyObjectOwner"},
     {AclOf::kObject, "READER", "roles/storage.legacyObjectReader"}}};

constexpr std::string_view kNoPublic =
    "The member bindings allUsers and allAuthenticatedUsers are not allowed since public access "
    "prevention is enforced.";

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

[[noreturn]] void RefuseWord(std::string_view word) {
  throw Failure(Code::kInvalid, "invalid", fmt::format("Invalid predefined ACL: '{}'", word));
}

}  // namespace

Acl PredefinedBucketAcl(std::string_view word, int64_t number) {
  if (word == "projectPrivate") return ProjectPrivate(number);
  Acl acl{Entry(TeamEntity("owners", number), "OWNER")};
  if (word == "authenticatedRead")
    acl.push_back(Entry("allAuthenticatedUsers", "READER"));
  else if (word == "publicRead")
    acl.push_back(Entry("allUsers", "READER"));
  else if (word == "publicReadWrite")
    acl.push_back(Entry("allUsers", "WRITER"));
  else if (word != "private")
    RefuseWord(word);
  return acl;
}

Acl PredefinedDefaultAcl(std::string_view word, int64_t number) {
  if (word == "projectPrivate") return ProjectPrivate(number);
  if (word == "private") return {};
  if (word == "authenticatedRead") return {Entry("allAuthenticatedUsers", "READER")};
  if (word == "publicRead") return {Entry("allUsers", "READER")};
  if (word == "bucketOwnerRead") return {Entry(TeamEntity("owners", number), "READER")};
  if (word == "bucketOwnerFullControl") return {Entry(TeamEntity("owners", number), "OWNER")};
  RefuseWord(word);
}

Acl PredefinedObjectAcl(std::string_view word, int64_t number, std::string_view owner) {
  Acl acl = PredefinedDefaultAcl(word, number);
  if (!owner.empty()) {
    acl.insert(acl.begin(), Entry("user-" + std::string(owner), "OWNER"));
  } else if (acl.empty()) {
    acl.push_back(Entry(TeamEntity("owners", number), "OWNER"));
  }
  return acl;
}

std::string_view LegacyRole(std::string_view acl_role, AclOf of) {
  for (const RolePair& pair : kRoles) {
    if (pair.of == of && pair.acl == acl_role) return pair.iam;
  }
  return {};
}

bool IsLegacyRole(std::string_view role, AclOf of) {
  return std::any_of(kRoles.begin(), kRoles.end(),
                     [&](const RolePair& r) { return r.of == of && r.iam == role; });
}

ProjectNames HomeOf(const api::storage::Bucket& bucket) {
  return {bucket.project, bucket.projectNumber};
}

void NormalizeAcl(Acl& acl, AclOf of) {
  Acl sound;
  for (const AccessEntry& entry : acl) {
    std::string role = entry.role;
    for (char& c : role) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c;
    if (LegacyRole(role, of).empty()) {
      throw Failure(Code::kInvalid, "invalid",
                    fmt::format("Invalid role '{}' for entity '{}'.", entry.role, entry.entity));
    }
    std::string entity = NormalEntity(entry.entity);
    auto there = std::find_if(sound.begin(), sound.end(),
                              [&](const AccessEntry& other) { return other.entity == entity; });
    if (there == sound.end())
      sound.push_back(Entry(std::move(entity), role));
    else
      there->role = role;
  }
  acl = std::move(sound);
}

void RefusePublic(const Acl& before, const Acl& after) {
  for (const AccessEntry& entry : after) {
    bool there = std::any_of(before.begin(), before.end(), [&](const AccessEntry& old) {
      return old.entity == entry.entity && old.role == entry.role;
    });
    if (IsPublicEntity(entry.entity) && !there) {
      throw Failure(Code::kPrecondition, "conditionNotMet", std::string(kNoPublic));
    }
  }
}

void RefusePublic(const std::vector<api::Binding>& before, const std::vector<api::Binding>& after) {
  auto there = [&](std::string_view role, const std::string& member) {
    return std::any_of(before.begin(), before.end(), [&](const api::Binding& old) {
      return old.role == role &&
             std::find(old.members.begin(), old.members.end(), member) != old.members.end();
    });
  };
  for (const api::Binding& binding : after) {
    for (const std::string& member : binding.members) {
      if (IsPublicEntity(member) && !there(binding.role, member)) {
        throw Failure(Code::kPrecondition, "conditionNotMet", std::string(kNoPublic));
      }
    }
  }
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

std::vector<api::Binding> LegacyBindings(const Acl& acl, AclOf of, const ProjectNames& home) {
  std::vector<api::Binding> bindings;
  for (const RolePair& role : kRoles) {
    if (role.of != of) continue;
    api::Binding binding;
    binding.role = role.iam;
    for (const AccessEntry& entry : acl) {
      if (entry.role == role.acl) binding.members.push_back(MemberOf(entry.entity, home));
    }
    if (!binding.members.empty()) bindings.push_back(std::move(binding));
  }
  return bindings;
}

Acl AclOfBindings(const std::vector<api::Binding>& bindings, AclOf of, const ProjectNames& home) {
  Acl acl;
  for (const RolePair& role : kRoles) {
    if (role.of != of) continue;
    for (const api::Binding& binding : bindings) {
      if (binding.role != role.iam) continue;
      for (const std::string& member : binding.members) {
        std::string entity = EntityOf(member, home);
        bool known = std::any_of(acl.begin(), acl.end(),
                                 [&](const AccessEntry& e) { return e.entity == entity; });
        if (!entity.empty() && !known) acl.push_back(Entry(std::move(entity), role.acl));
      }
    }
  }
  return acl;
}

}  // namespace fireweed::storage
