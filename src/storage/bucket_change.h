// A bucket's row and what hangs on it, changed together: the one way a bucket that is there is written.
// Inside catalog transactions; Failure rolls them back.
#pragma once

#include "api/storage/bucket.h"
#include "base/clock.h"
#include "catalog/catalog.h"

namespace fireweed::storage {

// Whose policy a bucket's is: "buckets/NAME".
std::string BucketResource(std::string_view bucket);

// Settles what follows from the change (bucket_rules.h), stores it, and tells the policy what the list and
// public access prevention say now. Returns the bucket as stored.
api::storage::Bucket StoreChange(Txn& txn, const api::storage::Bucket& before,
                                 api::storage::Bucket after, Time now);

}  // namespace fireweed::storage
