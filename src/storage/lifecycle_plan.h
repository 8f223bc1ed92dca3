// What a bucket's lifecycle rules do to one version of an object. Pure: facts in, a step out.
//
//   every condition of a rule holds  ──►  its action counts
//   Delete beats SetStorageClass; of several classes the coldest wins; nothing moves to a warmer one
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/storage/bucket.h"
#include "base/clock.h"
#include "describe/type.h"

namespace fireweed::storage {

struct LifecycleAction {
  std::string type;  // Delete, SetStorageClass, AbortIncompleteMultipartUpload
  std::string storageClass;
};

struct LifecycleCondition {
  std::optional<int32_t> age, daysSinceCustomTime, daysSinceNoncurrentTime;  // days
  std::optional<int32_t> numNewerVersions;
  std::optional<bool> isLive;
  std::string createdBefore, customTimeBefore, noncurrentTimeBefore;  // "2026-11-15", midnight UTC
  std::vector<std::string> matchesPrefix, matchesSuffix, matchesStorageClass;
};

struct LifecycleRule {
  LifecycleAction action;
  LifecycleCondition condition;
};

// Throws Failure(kInvalid) in the API's words for what is no rule: an unknown action or class, a bad date, a
// negative number of days, no condition at all.
std::vector<LifecycleRule> ParseLifecycle(const api::storage::Lifecycle& lifecycle);

// One version as rules see it.
struct VersionFacts {
  std::string_view name, storage_class;
  bool live = true;
  Time created, noncurrent_since, custom_time;  // Time{}: none
  int32_t newer_versions = 0;
  bool held = false;  // by a hold or a retention period: it is not deleted
};

struct LifecycleStep {
  enum class Kind { kNothing, kDelete, kSetStorageClass } kind = Kind::kNothing;
  std::string storage_class;
  friend bool operator==(const LifecycleStep&, const LifecycleStep&) = default;
};

LifecycleStep PlanVersion(const std::vector<LifecycleRule>& rules, const VersionFacts& version,
                          Time now);

// Whether an upload in parts that began at `begun` and never ended is to be given up.
bool PlanAbort(const std::vector<LifecycleRule>& rules, std::string_view name, Time begun,
               Time now);

}  // namespace fireweed::storage

namespace fireweed {
template <>
inline constexpr auto kFields<storage::LifecycleAction> = [](auto...) {
  return Fields{F("type", &storage::LifecycleAction::type),
                F("storageClass", &storage::LifecycleAction::storageClass)};
};
template <>
inline constexpr auto kFields<storage::LifecycleCondition> = [](auto...) {
  return Fields{F("age", &storage::LifecycleCondition::age),
                F("createdBefore", &storage::LifecycleCondition::createdBefore),
                F("customTimeBefore", &storage::LifecycleCondition::customTimeBefore),
                F("daysSinceCustomTime", &storage::LifecycleCondition::daysSinceCustomTime),
                F("daysSinceNoncurrentTime", &storage::LifecycleCondition::daysSinceNoncurrentTime),
                F("isLive", &storage::LifecycleCondition::isLive),
                F("matchesPrefix", &storage::LifecycleCondition::matchesPrefix),
                F("matchesSuffix", &storage::LifecycleCondition::matchesSuffix),
                F("matchesStorageClass", &storage::LifecycleCondition::matchesStorageClass),
                F("noncurrentTimeBefore", &storage::LifecycleCondition::noncurrentTimeBefore),
                F("numNewerVersions", &storage::LifecycleCondition::numNewerVersions)};
};
template <>
inline constexpr auto kFields<storage::LifecycleRule> = [](auto...) {
  return Fields{F("action", &storage::LifecycleRule::action),
                F("condition", &storage::LifecycleRule::condition)};
};
}  // namespace fireweed
