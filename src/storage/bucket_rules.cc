#include "storage/bucket_rules.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/bytes.h"
#include "base/error.h"
#include "storage/acl.h"
#include "storage/bucket_record.h"
#include "storage/compact_form.h"

namespace fireweed::storage {
namespace {

constexpr size_t kMinName = 3, kMaxPiece = 63, kMaxName = 222;
constexpr std::chrono::hours kUniformAccessLock(90 * 24);

bool IsLowerOrDigit(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); }

std::string ToUpper(std::string text) {
  for (char& c : text) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c;
  return text;
}

std::string LocationType(std::string_view location) {
  for (std::string_view multi : {"US", "EU", "ASIA"}) {
    if (location == multi) return "multi-region";
  }
  for (std::string_view dual : {"NAM4", "EUR4", "EUR5", "EUR7", "EUR8", "ASIA1"}) {
    if (location == dual) return "dual-region";
  }
  return "region";
}

std::string BucketEtag(int64_t metageneration) {
  CompactWriter out;
  out.Number(8);
  out.Number(static_cast<uint64_t>(metageneration));
  return Base64Encode(out.Take());
}

// Clients set the switch by either of its names.
void SettleUniformAccess(const api::storage::Bucket& before, api::storage::Bucket& after,
                         Time now) {
  bool was = HasUniformAccess(before);
  api::storage::UniformAccess& access = after.iamConfiguration.uniformBucketLevelAccess;
  api::storage::UniformAccess& alias = after.iamConfiguration.bucketPolicyOnly;
  if (access.enabled == was && alias.enabled != was) access.enabled = alias.enabled;
  if (!access.enabled)
    access.lockedTime.reset();
  else if (!was || !access.lockedTime)
    access.lockedTime = now + kUniformAccessLock;
  alias = access;
  if (after.iamConfiguration.publicAccessPrevention != "enforced") {
    after.iamConfiguration.publicAccessPrevention = "inherited";
  }
}

void Settle(const api::storage::Bucket& before, api::storage::Bucket& after, Time now) {
  after.location = ToUpper(after.location.empty() ? "US" : after.location);
  after.locationType = LocationType(after.location);
  after.storageClass = ToUpper(after.storageClass.empty() ? "STANDARD" : after.storageClass);
  SettleUniformAccess(before, after, now);
  NormalizeAcl(after.acl);
  NormalizeAcl(after.defaultObjectAcl);
  if (after.retentionPolicy) {
    bool same = before.retentionPolicy && before.retentionPolicy->effectiveTime &&
                before.retentionPolicy->retentionPeriod == after.retentionPolicy->retentionPeriod;
    after.retentionPolicy->effectiveTime = same ? *before.retentionPolicy->effectiveTime : now;
  }
  after.updated = now;
  after.etag = BucketEtag(after.metageneration);
}

}  // namespace

void CheckBucketName(std::string_view name) {
  bool sound = name.size() >= kMinName && name.size() <= kMaxName && IsLowerOrDigit(name.front()) &&
               IsLowerOrDigit(name.back());
  sound = sound && std::all_of(name.begin(), name.end(), [](char c) {
            return IsLowerOrDigit(c) || c == '-' || c == '_' || c == '.';
          });
  size_t piece = 0;
  for (char c : name) {
    piece = c == '.' ? 0 : piece + 1;
    sound = sound && piece <= kMaxPiece;
  }
  sound = sound && name.find("..") == std::string_view::npos;
  if (!sound)
    throw Failure(Code::kInvalid, "invalid",
                  fmt::format("Invalid bucket name: '{}'", name.substr(0, 300)));
}

api::storage::Bucket NewBucket(const api::storage::InsertBucket& request, std::string_view project,
                               int64_t project_number, std::string_view owner, Time now) {
  CheckBucketName(request.body.name);
  api::storage::Bucket bucket = request.body;
  bucket.id = bucket.name;
  bucket.selfLink = "https://www.googleapis.com/storage/v1/b/" + bucket.name;
  bucket.project = project;
  bucket.projectNumber = project_number;
  bucket.timeCreated = now;
  bucket.metageneration = 1;
  bucket.owner = api::storage::Owner{fmt::format("project-owners-{}", project_number), ""};
  if (!request.predefinedAcl.empty()) {
    bucket.acl = PredefinedBucketAcl(request.predefinedAcl, project_number, owner);
  } else if (bucket.acl.empty()) {
    bucket.acl = PredefinedBucketAcl("projectPrivate", project_number, owner);
  }
  if (!request.predefinedDefaultObjectAcl.empty()) {
    bucket.defaultObjectAcl =
        PredefinedObjectAcl(request.predefinedDefaultObjectAcl, project_number, owner);
  } else if (bucket.defaultObjectAcl.empty()) {
    bucket.defaultObjectAcl = PredefinedObjectAcl("projectPrivate", project_number, owner);
  }
  Settle(api::storage::Bucket{}, bucket, now);
  return bucket;
}

void SettleChange(const api::storage::Bucket& before, api::storage::Bucket& after, Time now) {
  after.metageneration = before.metageneration + 1;
  Settle(before, after, now);
}

Projection ParseProjection(std::string_view word, Projection usual) {
  if (word.empty()) return usual;
  return word == "full" ? Projection::kFull : Projection::kNoAcl;
}

api::storage::Bucket ShowBucket(api::storage::Bucket bucket, Projection projection) {
  if (projection == Projection::kNoAcl || HasUniformAccess(bucket)) {
    bucket.acl.clear();
    bucket.defaultObjectAcl.clear();
    if (projection == Projection::kNoAcl) bucket.owner.reset();
  }
  CompleteBucketAcl(bucket);
  return bucket;
}

}  // namespace fireweed::storage
