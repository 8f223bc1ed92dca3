#include "storage/blob_refs.h"

#include "storage/compact_form.h"

namespace fireweed::storage {

void AddBlobRef(Txn& txn, const BlobId& blob) {
  std::optional<Row<BlobRefCount>> row = txn.Find<BlobRefCount>(blob);
  txn.Put(blob, BlobRefCount{row ? row->value.count + 1 : 1});
}

bool ReleaseBlobRef(Txn& txn, const BlobId& blob) {
  std::optional<Row<BlobRefCount>> row = txn.Find<BlobRefCount>(blob);
  if (!row) return false;
  if (row->value.count > 1) {
    txn.Put(blob, BlobRefCount{row->value.count - 1});
    return false;
  }
  txn.Erase<BlobRefCount>(blob);
  return true;
}

bool HasBlobRef(Txn& txn, const BlobId& blob) { return txn.Find<BlobRefCount>(blob).has_value(); }

}  // namespace fireweed::storage

namespace fireweed {

std::string RecordCodec<storage::BlobRefCount>::Encode(const storage::BlobRefCount& refs) {
  storage::CompactWriter out;
  out.Number(static_cast<uint64_t>(refs.count));
  return out.Take();
}

storage::BlobRefCount RecordCodec<storage::BlobRefCount>::Decode(std::string_view bytes) {
  storage::CompactReader in(bytes);
  return {static_cast<int64_t>(in.Number())};
}

}  // namespace fireweed
