#include "storage/preconditions.h"

#include "base/error.h"

namespace fireweed::storage {

void RequireVerdict(Verdict verdict) {
  if (verdict == Verdict::kHolds) return;
  if (verdict == Verdict::kNotModified) throw Failure(Code::kNotModified, "Not Modified");
  throw Failure(Code::kPrecondition, "conditionNotMet",
                "At least one of the pre-conditions you specified did not hold.");
}

Verdict CheckConditions(const api::storage::ObjectConditions& conditions,
                        const std::optional<VersionPoint>& there, Purpose purpose) {
  if (!there) {
    bool others = conditions.ifGenerationNotMatch || conditions.ifMetagenerationMatch ||
                  conditions.ifMetagenerationNotMatch;
    bool zero = conditions.ifGenerationMatch.value_or(0) == 0;
    return zero && !others ? Verdict::kHolds : Verdict::kFails;
  }
  if (conditions.ifGenerationMatch && *conditions.ifGenerationMatch != there->generation) {
    return Verdict::kFails;
  }
  if (conditions.ifMetagenerationMatch &&
      *conditions.ifMetagenerationMatch != there->metageneration) {
    return Verdict::kFails;
  }
  bool same = conditions.ifGenerationNotMatch == there->generation ||
              conditions.ifMetagenerationNotMatch == there->metageneration;
  if (!same) return Verdict::kHolds;
  return purpose == Purpose::kRead ? Verdict::kNotModified : Verdict::kFails;
}

void RequireConditions(const api::storage::ObjectConditions& conditions,
                       const std::optional<VersionPoint>& there, Purpose purpose) {
  RequireVerdict(CheckConditions(conditions, there, purpose));
}

api::storage::ObjectConditions OfSource(const api::storage::SourceConditions& conditions) {
  return {conditions.ifSourceGenerationMatch, conditions.ifSourceGenerationNotMatch,
          conditions.ifSourceMetagenerationMatch, conditions.ifSourceMetagenerationNotMatch};
}

void RequireMetageneration(const std::optional<int64_t>& match,
                           const std::optional<int64_t>& not_match, int64_t metageneration,
                           Purpose purpose) {
  api::storage::ObjectConditions conditions;
  conditions.ifMetagenerationMatch = match;
  conditions.ifMetagenerationNotMatch = not_match;
  RequireVerdict(CheckConditions(conditions, VersionPoint{1, metageneration}, purpose));
}

}  // namespace fireweed::storage
