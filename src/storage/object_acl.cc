#include "storage/object_acl.h"

#include <algorithm>
#include <charconv>
#include <iterator>

#include <fmt/format.h>

#include "describe/json_codec.h"
#include "storage/bucket_record.h"

namespace fireweed::storage {
namespace {

using api::storage::AccessEntry;
using api::storage::Bucket;

constexpr std::string_view kUniformMore =
    " when uniform bucket-level access is enabled. Read more at "
    "https://cloud.google.com/storage/docs/uniform-bucket-level-access";

Acl Usual(const Bucket& bucket) {
  return PredefinedDefaultAcl("projectPrivate", bucket.projectNumber);
}

// Asked for every object that is made, on the catalog's one writer: makes no strings.
bool IsUsual(const Acl& acl, int64_t number) {
  struct Pair {
    std::string_view head, role;
  };
  constexpr Pair kEntries[] = {
      {"project-owners-", "OWNER"}, {"project-editors-", "OWNER"}, {"project-viewers-", "READER"}};
  if (acl.size() != std::size(kEntries)) return false;
  char digits[20];
  char* end = std::to_chars(digits, digits + sizeof digits, number).ptr;
  std::string_view tail(digits, static_cast<size_t>(end - digits));
  for (size_t i = 0; i < acl.size(); ++i) {
    std::string_view entity = acl[i].entity;
    const Pair& usual = kEntries[i];
    bool same = entity.size() == usual.head.size() + tail.size() &&
                entity.starts_with(usual.head) && entity.ends_with(tail) &&
                acl[i].role == usual.role;
    if (!same) return false;
  }
  return true;
}

void SetAcl(ObjectRow& row, const Acl& acl) {
  api::storage::Object object = ToObject(row, "", "");
  object.acl = acl;
  TakeMetadata(object, row);
}

}  // namespace

void RefuseUniform(const Bucket& bucket, std::string_view what) {
  if (!HasUniformAccess(bucket)) return;
  throw Failure(Code::kInvalid, "invalid", fmt::format("{}{}", what, kUniformMore));
}

Acl EffectiveAcl(const api::storage::Object& object, const Bucket& bucket) {
  Acl acl = object.acl.empty() ? Usual(bucket) : object.acl;
  if (!object.owner) return acl;
  auto owner = std::find_if(acl.begin(), acl.end(), [&](const AccessEntry& entry) {
    return entry.entity == object.owner->entity;
  });
  if (owner == acl.end()) owner = acl.insert(acl.end(), AccessEntry{});
  owner->entity = object.owner->entity;
  owner->role = "OWNER";
  return acl;
}

void SettleNewAcl(const Bucket& bucket, ObjectRow& row) {
  Acl given = row.rare.empty() ? Acl() : ToObject(row, "", "").acl;
  if (!given.empty()) {
    RefuseUniform(bucket, "Cannot insert legacy ACL for an object");
    if (PreventsPublic(bucket)) RefusePublic({}, given);
    return;
  }
  if (HasUniformAccess(bucket) || IsUsual(bucket.defaultObjectAcl, bucket.projectNumber)) return;
  // A list is never empty: without entries it is its owner's alone.
  bool none = bucket.defaultObjectAcl.empty();
  SetAcl(row, none ? PredefinedObjectAcl("private", bucket.projectNumber, row.owner)
                   : bucket.defaultObjectAcl);
}

void ForgetForCopy(ObjectRow& row, const Acl& acl) {
  if (row.rare.empty() && acl.empty()) return;
  api::storage::Object object = ToObject(row, "", "");
  object.acl = acl;
  object.temporaryHold.reset();
  object.eventBasedHold.reset();
  object.holdReleased = {};
  TakeMetadata(object, row);
}

void CloseEmptyAcl(const Bucket& bucket, api::storage::Object& object) {
  if (!object.acl.empty()) return;
  constexpr std::string_view kUser = "user-";
  std::string owner = object.owner ? object.owner->entity : "";
  if (owner.starts_with(kUser)) owner.erase(0, kUser.size());
  object.acl = PredefinedObjectAcl("private", bucket.projectNumber, owner);
}

void SettleChangedAcl(const Bucket& bucket, const Acl& before, api::storage::Object& after) {
  NormalizeAcl(after.acl, AclOf::kObject);
  if (SameValue(before, after.acl)) return;
  if (after.acl.empty() && HasUniformAccess(bucket)) {
    after.acl = before;  // clients send an empty list for "none to show"
    return;
  }
  CloseEmptyAcl(bucket, after);
  RefuseUniform(bucket, "Cannot update access control for an object");
  if (PreventsPublic(bucket)) RefusePublic(before, after.acl);
}

}  // namespace fireweed::storage
