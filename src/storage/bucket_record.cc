#include "storage/bucket_record.h"

namespace fireweed::storage {

Row<api::storage::Bucket> FindBucket(Txn& txn, std::string_view bucket) {
  std::optional<Row<api::storage::Bucket>> row = txn.Find<api::storage::Bucket>(bucket);
  if (!row) throw Failure(Code::kNotFound, "The specified bucket does not exist.");
  return *std::move(row);
}

bool KeepsOldVersions(const api::storage::Bucket& bucket) {
  return bucket.versioning && bucket.versioning->enabled;
}

bool HasUniformAccess(const api::storage::Bucket& bucket) {
  return bucket.iamConfiguration.uniformBucketLevelAccess.enabled;
}

bool PreventsPublic(const api::storage::Bucket& bucket) {
  return bucket.iamConfiguration.publicAccessPrevention == "enforced";
}

}  // namespace fireweed::storage
