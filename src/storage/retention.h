// Retention policies and holds: what keeps an object from being removed or replaced, and what a bucket's policy
// may become. Pure.
#pragma once

#include <optional>
#include <string_view>

#include "api/storage/bucket.h"
#include "storage/object_row.h"

namespace fireweed::storage {

// When the bucket's policy lets go of the object; nullopt without a policy, and while an event-based hold keeps
// the time from running.
std::optional<Time> RetainedUntil(const api::storage::Bucket& bucket,
                                  const api::storage::Object& object);

// Failure(kDenied), reason objectUnderActiveHold or retentionPolicyNotMet, while the version may not go.
// `archived`: it stays as an old version, which a policy allows and a hold does not.
void RequireRemovable(const api::storage::Bucket& bucket, std::string_view name,
                      const ObjectRow& row, bool archived, Time now);

// What a new object begins with (a default hold), and what follows from a change of its holds.
void StartHold(const api::storage::Bucket& bucket, ObjectRow& row);
void SettleHolds(const api::storage::Object& before, api::storage::Object& after, Time now);

// A changed policy: periods in bounds, times, and what a lock forbids (Failure kDenied).
void SettleRetention(const api::storage::Bucket& before, api::storage::Bucket& after, Time now);
// Failure when there is no policy to lock.
void LockRetention(api::storage::Bucket& bucket);

}  // namespace fireweed::storage
