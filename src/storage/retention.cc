#include "storage/retention.h"

#include <fmt/format.h>

#include "base/error.h"

namespace fireweed::storage {
namespace {

using api::storage::Bucket;
using api::storage::Object;
using api::storage::RetentionPolicy;

constexpr int64_t kLongestPeriod = 3'155'760'000;  // a hundred years, in seconds

std::string Named(std::string_view bucket, std::string_view name) {
  return fmt::format("Object '{}/{}'", bucket, name);
}

bool IsLocked(const std::optional<RetentionPolicy>& policy) {
  return policy && policy->isLocked.value_or(false);
}

}  // namespace

std::optional<Time> RetainedUntil(const Bucket& bucket, const Object& object) {
  if (!bucket.retentionPolicy || object.eventBasedHold.value_or(false)) return std::nullopt;
  Time from = object.holdReleased == Time{} ? object.timeCreated : object.holdReleased;
  return from + std::chrono::seconds(bucket.retentionPolicy->retentionPeriod);
}

void RequireRemovable(const Bucket& bucket, std::string_view name, const ObjectRow& row,
                      bool archived, Time now) {
  if (row.rare.empty() && !bucket.retentionPolicy) return;
  Object object = ToObject(row, bucket.name, name);
  bool event = object.eventBasedHold.value_or(false);
  if (event || object.temporaryHold.value_or(false)) {
    throw Failure(
        Code::kDenied, "objectUnderActiveHold",
        fmt::format("{} is under active {} hold and cannot be deleted, overwritten or archived "
                    "until hold is removed.",
                    Named(bucket.name, name), event ? "Event-Based" : "Temporary"));
  }
  std::optional<Time> until = RetainedUntil(bucket, object);
  if (until && now < *until && !archived) {
    throw Failure(
        Code::kDenied, "retentionPolicyNotMet",
        fmt::format("{} is subject to bucket's retention policy or object retention and cannot be "
                    "deleted or overwritten until {}",
                    Named(bucket.name, name), FormatTime(*until)));
  }
}

void StartHold(const Bucket& bucket, ObjectRow& row) {
  if (!bucket.defaultEventBasedHold.value_or(false)) return;
  Object object = ToObject(row, "", "");
  if (object.eventBasedHold) return;
  object.eventBasedHold = true;
  TakeMetadata(object, row);
}

void SettleHolds(const Object& before, Object& after, Time now) {
  after.holdReleased = before.holdReleased;
  bool held = before.eventBasedHold.value_or(false), holds = after.eventBasedHold.value_or(false);
  if (held && !holds) after.holdReleased = now;
  if (holds) after.holdReleased = {};
}

void SettleRetention(const Bucket& before, Bucket& after, Time now) {
  if (IsLocked(before.retentionPolicy) && !after.retentionPolicy) {
    throw Failure(Code::kDenied, "forbidden",
                  fmt::format("Bucket '{}' has a locked Retention Policy which cannot be removed.",
                              after.name));
  }
  if (!after.retentionPolicy) return;
  RetentionPolicy& policy = *after.retentionPolicy;
  if (policy.retentionPeriod <= 0 || policy.retentionPeriod > kLongestPeriod) {
    throw Failure(Code::kInvalid, "invalid",
                  fmt::format("Retention period must be 1 to {} seconds.", kLongestPeriod));
  }
  if (!before.retentionPolicy) {
    policy.isLocked.reset();
    policy.effectiveTime = now;
    return;
  }
  const RetentionPolicy& old = *before.retentionPolicy;
  if (IsLocked(before.retentionPolicy) && policy.retentionPeriod < old.retentionPeriod) {
    throw Failure(Code::kDenied, "forbidden",
                  fmt::format("Cannot reduce retention duration of a locked Retention Policy for "
                              "bucket '{}'.",
                              after.name));
  }
  policy.isLocked = old.isLocked;
  bool same = policy.retentionPeriod == old.retentionPeriod && old.effectiveTime;
  policy.effectiveTime = same ? *old.effectiveTime : now;
}

void LockRetention(Bucket& bucket) {
  if (!bucket.retentionPolicy) {
    throw Failure(Code::kInvalid, "invalid",
                  fmt::format("Bucket '{}' does not have a Retention Policy.", bucket.name));
  }
  bucket.retentionPolicy->isLocked = true;
}

}  // namespace fireweed::storage
