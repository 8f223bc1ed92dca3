// How many rows refer to each blob or draft, kept in the same transactions as those rows: copies
// share a blob, and the last row that goes lets it be dropped. The sweep asks here as well.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "blob/blob_store.h"
#include "catalog/catalog.h"

namespace fireweed::storage {

struct BlobRefCount {
  int64_t count = 0;
};

void AddBlobRef(Txn& txn, const BlobId& blob);
// True when nothing refers to the blob any more: to be dropped once the transaction is committed. A
// small blob goes with its last reference, in the same transaction, and there is nothing to drop.
bool ReleaseBlobRef(Txn& txn, const BlobId& blob);
bool HasBlobRef(Txn& txn, const BlobId& blob);

}  // namespace fireweed::storage

namespace fireweed {
template <>
struct RecordCodec<storage::BlobRefCount> {
  static constexpr std::string_view kKind = "blob_ref";
  static std::string Encode(const storage::BlobRefCount& refs);
  static storage::BlobRefCount Decode(std::string_view bytes);
};
}  // namespace fireweed
