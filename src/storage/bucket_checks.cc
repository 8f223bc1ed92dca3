#include "storage/bucket_checks.h"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "base/error.h"
#include "describe/json_codec.h"
#include "storage/lifecycle_plan.h"
#include "storage/location.h"

namespace fireweed::storage {
namespace {

using api::storage::Bucket;

constexpr size_t kMinName = 3, kMaxPiece = 63, kMaxName = 222;
constexpr size_t kMaxLabels = 64, kMaxLabel = 63;
constexpr size_t kMaxRules = 100;

bool IsLowerOrDigit(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); }
// Letters of other scripts are beyond ASCII; they are allowed.
bool IsLabelChar(char c) {
  return IsLowerOrDigit(c) || c == '-' || c == '_' || (static_cast<unsigned char>(c) & 0x80);
}

// Of UTF-8: every byte but those that go on with one.
size_t Characters(std::string_view text) {
  return static_cast<size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xc0) != 0x80;
  }));
}

[[noreturn]] void Refuse(std::string message) {
  throw Failure(Code::kInvalid, "invalid", std::move(message));
}

std::string ToUpper(std::string text) {
  for (char& c : text) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c;
  return text;
}

bool IsStorageClass(std::string_view name) {
  constexpr std::string_view kClasses[] = {"STANDARD",
                                           "NEARLINE",
                                           "COLDLINE",
                                           "ARCHIVE",
                                           "REGIONAL",
                                           "MULTI_REGIONAL",
                                           "DURABLE_REDUCED_AVAILABILITY"};
  return std::find(std::begin(kClasses), std::end(kClasses), name) != std::end(kClasses);
}

void CheckLabels(const std::map<std::string, std::string>& labels) {
  if (labels.size() > kMaxLabels) Refuse(fmt::format("More than {} labels.", kMaxLabels));
  for (const auto& [key, value] : labels) {
    bool sound = !key.empty() && Characters(key) <= kMaxLabel && Characters(value) <= kMaxLabel &&
                 key[0] != '-' && key[0] != '_' && !(key[0] >= '0' && key[0] <= '9') &&
                 std::all_of(key.begin(), key.end(), IsLabelChar) &&
                 std::all_of(value.begin(), value.end(), IsLabelChar);
    if (!sound) {
      Refuse(
          fmt::format("Invalid label '{}: {}': keys begin with a lower-case letter; keys and "
                      "values hold lower-case letters, digits, '-' and '_', at most {}.",
                      key, value, kMaxLabel));
    }
  }
}

void CheckLifecycle(const api::storage::Lifecycle& lifecycle) {
  if (lifecycle.rule.size() > kMaxRules) {
    Refuse(fmt::format("More than {} lifecycle rules.", kMaxRules));
  }
  ParseLifecycle(lifecycle);
}

// Clients clear the settings with [{}].
void SettleCors(std::vector<api::storage::Cors>& cors) {
  std::erase_if(
      cors, [](const api::storage::Cors& entry) { return SameValue(entry, api::storage::Cors{}); });
}

void SettlePlacement(Bucket& bucket) {
  std::string& location = bucket.location;
  location = ToUpper(location.empty() ? "US" : location);
  std::vector<std::string>& regions = bucket.customPlacementConfig.dataLocations;
  for (std::string& region : regions) region = ToUpper(region);
  // "us-east1+us-east4", as gsutil mb -l takes it.
  if (size_t plus = location.find('+'); plus != std::string::npos && regions.empty()) {
    regions = {location.substr(0, plus), location.substr(plus + 1)};
    location = regions[0].starts_with("EUROPE-") ? "EU"
               : regions[0].starts_with("ASIA-") ? "ASIA"
                                                 : "US";
    if (!MayPair(location, regions[0], regions[1])) {
      Refuse("The specified location constraint is not valid.");
    }
  }
  bucket.locationType = LocationType(location);
  if (bucket.locationType.empty()) Refuse("The specified location constraint is not valid.");
  if (regions.empty()) return;
  bool sound = regions.size() == 2 && bucket.locationType == "multi-region" &&
               MayPair(location, regions[0], regions[1]);
  if (!sound) {
    Refuse(
        fmt::format("Invalid custom placement config. One or more unrecognized regions in "
                    "dual-region, received: {}",
                    fmt::join(regions, ", ")));
  }
  bucket.locationType = "dual-region";
}

void SettlePrevention(std::string& word) {
  if (word.empty() || word == "unspecified") word = "inherited";
  if (word != "inherited" && word != "enforced") {
    Refuse(fmt::format("{} is not a valid value for public access prevention.", word));
  }
}

// What is deleted is gone: who asks for more must not believe to have it.
void SettleSoftDelete(const Bucket& before, Bucket& after, Time now) {
  if (!after.softDeletePolicy) return;
  bool same = before.softDeletePolicy && before.softDeletePolicy->retentionDurationSeconds ==
                                             after.softDeletePolicy->retentionDurationSeconds;
  if (!same && after.softDeletePolicy->retentionDurationSeconds != 0) {
    Refuse(
        "Soft delete is not supported here: deleted objects cannot be restored. Set "
        "retentionDurationSeconds to 0, or keep old versions with versioning.");
  }
  after.softDeletePolicy->effectiveTime =
      same ? before.softDeletePolicy->effectiveTime.value_or(now) : now;
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
  if (!sound) Refuse(fmt::format("Invalid bucket name: '{}'", name.substr(0, 300)));
}

std::string CheckedStorageClass(std::string_view name) {
  std::string upper = ToUpper(std::string(name));
  if (!upper.empty() && !IsStorageClass(upper)) {
    Refuse(fmt::format("Invalid storage class: '{}'.", upper));
  }
  return upper;
}

void SettleSettings(Bucket& bucket) {
  CheckLabels(bucket.labels);
  CheckLifecycle(bucket.lifecycle);
  SettleCors(bucket.cors);
  SettlePlacement(bucket);
  SettlePrevention(bucket.iamConfiguration.publicAccessPrevention);
  bucket.storageClass =
      CheckedStorageClass(bucket.storageClass.empty() ? "STANDARD" : bucket.storageClass);
}

void SettleClasses(const Bucket& before, Bucket& after, Time now) {
  bool was = before.autoclass && before.autoclass->enabled;
  if (after.autoclass) {
    api::storage::Autoclass& autoclass = *after.autoclass;
    bool toggled = !before.autoclass || was != autoclass.enabled;
    autoclass.toggleTime = toggled ? now : before.autoclass->toggleTime.value_or(now);
    std::string& terminal = autoclass.terminalStorageClass;
    if (autoclass.enabled && terminal.empty()) terminal = "NEARLINE";
    bool moved = !before.autoclass || before.autoclass->terminalStorageClass != terminal;
    if (!terminal.empty() && moved) autoclass.terminalStorageClassUpdateTime = now;
    if (autoclass.enabled && after.storageClass != "STANDARD") {
      Refuse(
          fmt::format("Cannot set default storage class to {} on a bucket with Autoclass enabled.",
                      after.storageClass));
    }
  }
  if (after.rpo.empty() && after.locationType != "region") after.rpo = "DEFAULT";
  after.rpo = ToUpper(after.rpo);
  if (after.rpo == "ASYNC_TURBO" && after.locationType != "dual-region") {
    Refuse(fmt::format("ASYNC_TURBO cannot be enabled on {} bucket.",
                       after.locationType == "region" ? "REGION" : "MULTI_REGION"));
  }
  if (!after.rpo.empty() && after.rpo != "DEFAULT" && after.rpo != "ASYNC_TURBO") {
    Refuse(fmt::format("Invalid rpo: '{}'.", after.rpo));
  }
  SettleSoftDelete(before, after, now);
}

}  // namespace fireweed::storage
