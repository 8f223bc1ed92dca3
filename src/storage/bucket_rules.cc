#include "storage/bucket_rules.h"

#include <fmt/format.h>

#include "base/bytes.h"
#include "base/error.h"
#include "storage/acl.h"
#include "storage/bucket_record.h"
#include "storage/compact_form.h"
#include "storage/object_acl.h"
#include "storage/retention.h"

namespace fireweed::storage {
namespace {

using api::storage::Bucket;

constexpr std::chrono::hours kUniformAccessLock(90 * 24);

std::string BucketEtag(int64_t metageneration) {
  CompactWriter out;
  out.Number(8);
  out.Number(static_cast<uint64_t>(metageneration));
  return Base64Encode(out.Take());
}

// Clients set the switch by either of its names.
void SettleUniformAccess(const Bucket& before, Bucket& after, Time now) {
  const api::storage::UniformAccess& was = before.iamConfiguration.uniformBucketLevelAccess;
  api::storage::UniformAccess& access = after.iamConfiguration.uniformBucketLevelAccess;
  api::storage::UniformAccess& alias = after.iamConfiguration.bucketPolicyOnly;
  if (access.enabled == was.enabled && alias.enabled != was.enabled) access.enabled = alias.enabled;
  if (was.enabled && !access.enabled && was.lockedTime && now > *was.lockedTime) {
    throw Failure(Code::kPrecondition, "conditionNotMet",
                  fmt::format("Uniform bucket-level access of bucket '{}' is locked and cannot be "
                              "disabled.",
                              after.name));
  }
  access.lockedTime.reset();
  if (access.enabled) {
    access.lockedTime = was.enabled && was.lockedTime ? *was.lockedTime : now + kUniformAccessLock;
  }
  alias = access;
}

// Lists while access is uniform: none can be set, and clients that show none may send none.
void SettleLists(const Bucket& before, Bucket& after) {
  bool uniform = HasUniformAccess(after);
  for (auto list : {&Bucket::acl, &Bucket::defaultObjectAcl}) {
    bool own = list == &Bucket::acl;
    NormalizeAcl(after.*list, own ? AclOf::kBucket : AclOf::kObject);
    if (SameValue(before.*list, after.*list)) continue;
    if (uniform && (after.*list).empty()) {
      after.*list = before.*list;
      continue;
    }
    if (HasUniformAccess(before))
      RefuseUniform(after, "Cannot use ACL API to update bucket policy");
    if (PreventsPublic(after)) RefusePublic(before.*list, after.*list);
    // A bucket is never without an owner; objects to come have theirs.
    if (own && after.acl.empty()) after.acl = PredefinedBucketAcl("private", after.projectNumber);
  }
}

void Settle(const Bucket& before, Bucket& after, Time now) {
  SettleSettings(after);
  SettleUniformAccess(before, after, now);
  SettleLists(before, after);
  SettleClasses(before, after, now);
  SettleRetention(before, after, now);
  TouchBucket(after, now);
}

// The lists a new bucket starts with: predefined, as sent, or the usual ones.
void StartLists(const api::storage::InsertBucket& request, int64_t number, Bucket& bucket) {
  bool asked = !request.predefinedAcl.empty() || !request.predefinedDefaultObjectAcl.empty() ||
               !bucket.acl.empty() || !bucket.defaultObjectAcl.empty();
  bool uniform = HasUniformAccess(bucket) || bucket.iamConfiguration.bucketPolicyOnly.enabled;
  if (asked && uniform) {
    bucket.iamConfiguration.uniformBucketLevelAccess.enabled = true;
    RefuseUniform(bucket, "Cannot insert legacy ACL for a bucket");
  }
  std::string word = request.predefinedAcl;
  if (word.empty() && bucket.acl.empty()) word = "projectPrivate";
  if (!word.empty()) bucket.acl = PredefinedBucketAcl(word, number);
  word = request.predefinedDefaultObjectAcl;
  if (word.empty() && bucket.defaultObjectAcl.empty()) word = "projectPrivate";
  if (!word.empty()) bucket.defaultObjectAcl = PredefinedDefaultAcl(word, number);
}

}  // namespace

void TouchBucket(Bucket& bucket, Time now) {
  bucket.updated = now;
  bucket.etag = BucketEtag(bucket.metageneration);
}

Bucket NewBucket(const api::storage::InsertBucket& request, std::string_view project,
                 int64_t project_number, Time now) {
  CheckBucketName(request.body.name);
  Bucket bucket = request.body;
  bucket.id = bucket.name;
  bucket.selfLink = "https://www.googleapis.com/storage/v1/b/" + bucket.name;
  bucket.project = project;
  bucket.projectNumber = project_number;
  bucket.timeCreated = now;
  bucket.metageneration = 1;
  bucket.owner = api::storage::Owner{fmt::format("project-owners-{}", project_number), ""};
  StartLists(request, project_number, bucket);
  Settle(Bucket{}, bucket, now);
  return bucket;
}

void SettleChange(const Bucket& before, Bucket& after, Time now) {
  after.metageneration = before.metageneration + 1;
  Settle(before, after, now);
}

Projection ParseProjection(std::string_view word, Projection usual) {
  if (word.empty()) return usual;
  if (word != "full" && word != "noAcl") {
    throw Failure(Code::kInvalid, "invalidParameter",
                  fmt::format("Invalid projection: '{}'.", word));
  }
  return word == "full" ? Projection::kFull : Projection::kNoAcl;
}

Bucket ShowBucket(Bucket bucket, Projection projection) {
  if (projection == Projection::kNoAcl || HasUniformAccess(bucket)) {
    bucket.acl.clear();
    bucket.defaultObjectAcl.clear();
    if (projection == Projection::kNoAcl) bucket.owner.reset();
  }
  CompleteBucketAcl(bucket);
  return bucket;
}

}  // namespace fireweed::storage
