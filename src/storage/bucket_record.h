// Buckets as catalog rows. Key: the bucket's name.
#pragma once

#include "api/storage/bucket.h"
#include "catalog/record.h"

namespace fireweed {
template <>
inline constexpr std::string_view kRecordKind<api::storage::Bucket> = "bucket";
}  // namespace fireweed

namespace fireweed::storage {

// Key: "PROJECT/BUCKET"; a project's buckets are listed by a seek.
struct BucketOfProject {};

// The row, or Failure(kNotFound) in the words of the JSON API.
Row<api::storage::Bucket> FindBucket(Txn& txn, std::string_view bucket);

bool KeepsOldVersions(const api::storage::Bucket& bucket);
bool HasUniformAccess(const api::storage::Bucket& bucket);
bool PreventsPublic(const api::storage::Bucket& bucket);  // public access prevention is enforced

}  // namespace fireweed::storage

namespace fireweed {
template <>
inline constexpr auto kFields<storage::BucketOfProject> = [](auto...) { return Fields{}; };
template <>
inline constexpr std::string_view kRecordKind<storage::BucketOfProject> = "bucket_of_project";
}  // namespace fireweed
