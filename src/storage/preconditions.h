// The four preconditions of object requests, decided in one place. Pure.
#pragma once

#include <cstdint>
#include <optional>

#include "api/storage/object.h"

namespace fireweed::storage {

// What a condition is held against: the version that is there now.
struct VersionPoint {
  int64_t generation = 0;
  int64_t metageneration = 0;
};

enum class Verdict {
  kHolds,
  kFails,        // 412
  kNotModified,  // 304: a reader has what it would get
};

enum class Purpose { kRead, kWrite };

// `there` is nothing when no such version exists. ifGenerationMatch=0 holds then and only then;
// every other condition that is stated needs something to be there.
Verdict CheckConditions(const api::storage::ObjectConditions& conditions,
                        const std::optional<VersionPoint>& there, Purpose purpose);

// Throws Failure kPrecondition or kNotModified unless it holds.
void RequireVerdict(Verdict verdict);

// Throws Failure kPrecondition or kNotModified unless the conditions hold.
void RequireConditions(const api::storage::ObjectConditions& conditions,
                       const std::optional<VersionPoint>& there, Purpose purpose);

// The ifSource... conditions in the words of the others.
api::storage::ObjectConditions OfSource(const api::storage::SourceConditions& conditions);

// The metageneration conditions of buckets, by the same rules.
void RequireMetageneration(const std::optional<int64_t>& match,
                           const std::optional<int64_t>& not_match, int64_t metageneration,
                           Purpose purpose);

}  // namespace fireweed::storage
