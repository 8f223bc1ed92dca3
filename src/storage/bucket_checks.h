// What a bucket's settings may be. Each throws Failure(kInvalid) in the words that clients look for, or puts the
// setting into the form it is kept in. Pure.
#pragma once

#include "api/storage/bucket.h"

namespace fireweed::storage {

// Throws unless it may be the name of a bucket.
void CheckBucketName(std::string_view name);

// A storage class of a bucket or an object in the form it is kept in; empty ("as the bucket has it") stays empty.
std::string CheckedStorageClass(std::string_view name);

// All settings that stand on their own: labels, lifecycle, CORS, class, placement, prevention.
// Empty ones are dropped, names are put into upper case.
void SettleSettings(api::storage::Bucket& bucket);

// Those that hang on what was there before: automatic classes, recovery point, soft deletion.
void SettleClasses(const api::storage::Bucket& before, api::storage::Bucket& after, Time now);

}  // namespace fireweed::storage
