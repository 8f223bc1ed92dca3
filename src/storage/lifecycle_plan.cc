#include "storage/lifecycle_plan.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/error.h"
#include "describe/json_codec.h"

namespace fireweed::storage {
namespace {

constexpr std::string_view kDelete = "Delete";
constexpr std::string_view kSetStorageClass = "SetStorageClass";
constexpr std::string_view kAbort = "AbortIncompleteMultipartUpload";

// From warm to cold; the older names are as warm as STANDARD. Nothing for what is no class.
std::optional<int> Coldness(std::string_view storage_class) {
  if (storage_class == "NEARLINE") return 1;
  if (storage_class == "COLDLINE") return 2;
  if (storage_class == "ARCHIVE") return 3;
  for (std::string_view warm :
       {"STANDARD", "REGIONAL", "MULTI_REGIONAL", "DURABLE_REDUCED_AVAILABILITY"}) {
    if (storage_class == warm) return 0;
  }
  return std::nullopt;
}

std::optional<Time> Midnight(const std::string& date) {
  // Clients send a date; some a time, of which the date counts.
  return ParseTime(date.substr(0, date.find('T')) + "T00:00:00Z");
}

[[noreturn]] void Refuse(std::string_view what) {
  throw Failure(Code::kInvalid, "invalid", fmt::format("Invalid lifecycle rule: {}", what));
}

void CheckAction(const LifecycleAction& action) {
  if (action.type == kDelete || action.type == kAbort) return;
  if (action.type != kSetStorageClass) Refuse(fmt::format("unknown action '{}'.", action.type));
  if (!Coldness(action.storageClass)) {
    Refuse(fmt::format("unknown storage class '{}'.", action.storageClass));
  }
}

// Whether it states anything; throws on what it states wrongly.
bool CheckCondition(const LifecycleCondition& condition) {
  bool any = condition.isLive.has_value();
  for (const std::optional<int32_t>* number :
       {&condition.age, &condition.daysSinceCustomTime, &condition.daysSinceNoncurrentTime,
        &condition.numNewerVersions}) {
    if (number->has_value() && **number < 0) Refuse("a number is negative.");
    any |= number->has_value();
  }
  for (const std::string* date :
       {&condition.createdBefore, &condition.customTimeBefore, &condition.noncurrentTimeBefore}) {
    if (!date->empty() && !Midnight(*date)) Refuse(fmt::format("'{}' is no date.", *date));
    any |= !date->empty();
  }
  for (const std::string& name : condition.matchesStorageClass) {
    if (!Coldness(name)) Refuse(fmt::format("unknown storage class '{}'.", name));
  }
  return any || !condition.matchesStorageClass.empty() || !condition.matchesPrefix.empty() ||
         !condition.matchesSuffix.empty();
}

bool IsDaysAgo(Time when, std::optional<int32_t> days, Time now) {
  return !days || (when != Time{} && now - when >= std::chrono::days(*days));
}

bool IsBefore(Time when, const std::string& date) {
  if (date.empty()) return true;
  std::optional<Time> midnight = Midnight(date);
  return when != Time{} && midnight && when < *midnight;
}

bool NameMatches(const LifecycleCondition& condition, std::string_view name) {
  auto begins = [&](const std::string& part) { return name.starts_with(part); };
  auto ends = [&](const std::string& part) { return name.ends_with(part); };
  const auto& prefixes = condition.matchesPrefix;
  const auto& suffixes = condition.matchesSuffix;
  return (prefixes.empty() || std::any_of(prefixes.begin(), prefixes.end(), begins)) &&
         (suffixes.empty() || std::any_of(suffixes.begin(), suffixes.end(), ends));
}

bool ClassMatches(const std::vector<std::string>& classes, std::string_view storage_class) {
  return classes.empty() ||
         std::find(classes.begin(), classes.end(), storage_class) != classes.end();
}

bool Holds(const LifecycleCondition& condition, const VersionFacts& version, Time now) {
  Time noncurrent = version.live ? Time{} : version.noncurrent_since;
  return (!condition.isLive || *condition.isLive == version.live) &&
         IsDaysAgo(version.created, condition.age, now) &&
         IsBefore(version.created, condition.createdBefore) &&
         IsDaysAgo(version.custom_time, condition.daysSinceCustomTime, now) &&
         IsBefore(version.custom_time, condition.customTimeBefore) &&
         IsDaysAgo(noncurrent, condition.daysSinceNoncurrentTime, now) &&
         IsBefore(noncurrent, condition.noncurrentTimeBefore) &&
         (!condition.numNewerVersions || version.newer_versions >= *condition.numNewerVersions) &&
         ClassMatches(condition.matchesStorageClass, version.storage_class) &&
         NameMatches(condition, version.name);
}

}  // namespace

std::vector<LifecycleRule> ParseLifecycle(const api::storage::Lifecycle& lifecycle) {
  std::vector<LifecycleRule> rules;
  for (const Json& json : lifecycle.rule) {
    LifecycleRule rule = DecodeJson<LifecycleRule>(json.text);
    CheckAction(rule.action);
    if (!CheckCondition(rule.condition)) Refuse("it has no condition.");
    rules.push_back(std::move(rule));
  }
  return rules;
}

LifecycleStep PlanVersion(const std::vector<LifecycleRule>& rules, const VersionFacts& version,
                          Time now) {
  LifecycleStep step;
  int coldest = Coldness(version.storage_class).value_or(0);
  for (const LifecycleRule& rule : rules) {
    if (rule.action.type == kAbort || !Holds(rule.condition, version, now)) continue;
    if (rule.action.type == kDelete) {
      if (version.held) continue;
      return {LifecycleStep::Kind::kDelete, ""};
    }
    int coldness = Coldness(rule.action.storageClass).value_or(0);
    if (coldness <= coldest) continue;
    coldest = coldness;
    step = {LifecycleStep::Kind::kSetStorageClass, rule.action.storageClass};
  }
  return step;
}

bool PlanAbort(const std::vector<LifecycleRule>& rules, std::string_view name, Time begun,
               Time now) {
  return std::any_of(rules.begin(), rules.end(), [&](const LifecycleRule& rule) {
    return rule.action.type == kAbort && IsDaysAgo(begun, rule.condition.age, now) &&
           NameMatches(rule.condition, name);
  });
}

}  // namespace fireweed::storage
