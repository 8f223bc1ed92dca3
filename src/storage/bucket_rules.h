// What a bucket starts with, what follows from a change, and how it is shown. Pure.
#pragma once

#include <string>
#include <string_view>

#include "api/storage/bucket.h"
#include "storage/bucket_checks.h"

namespace fireweed::storage {

// A new bucket as the client asked for it, completed by what the server sets.
api::storage::Bucket NewBucket(const api::storage::InsertBucket& request, std::string_view project,
                               int64_t project_number, Time now);

// After a client's change: the fields that hang together, metageneration and times.
void SettleChange(const api::storage::Bucket& before, api::storage::Bucket& after, Time now);

// What every change leaves: the time and the etag of the metageneration it has now.
void TouchBucket(api::storage::Bucket& bucket, Time now);

// As a reply shows it: lists only with `full`, and not where access is uniform.
enum class Projection { kNoAcl, kFull };
Projection ParseProjection(std::string_view word, Projection usual = Projection::kNoAcl);
api::storage::Bucket ShowBucket(api::storage::Bucket bucket, Projection projection);

}  // namespace fireweed::storage
