#include "storage/blob_refs.h"

#include "storage/compact_form.h"
#include "storage/small_blobs.h"

namespace fireweed::storage {
namespace {

void AddSmallRef(Txn& txn, const BlobId& blob) {
  std::optional<Row<SmallBlob>> row = txn.Find<SmallBlob>(blob);
  if (!row) throw Failure(Code::kInternal, "small blob " + blob + " is missing");
  ++row->value.refs;
  txn.Put(blob, row->value);
}

void ReleaseSmallRef(Txn& txn, const BlobId& blob) {
  std::optional<Row<SmallBlob>> row = txn.Find<SmallBlob>(blob);
  if (!row) return;
  if (--row->value.refs > 0) {
    txn.Put(blob, row->value);
  } else {
    txn.Erase<SmallBlob>(blob);
  }
}

}  // namespace

void AddBlobRef(Txn& txn, const BlobId& blob) {
  if (IsSmallBlob(blob)) return AddSmallRef(txn, blob);
  std::optional<Row<BlobRefCount>> row = txn.Find<BlobRefCount>(blob);
  txn.Put(blob, BlobRefCount{row ? row->value.count + 1 : 1});
}

bool ReleaseBlobRef(Txn& txn, const BlobId& blob) {
  if (IsSmallBlob(blob)) {
    ReleaseSmallRef(txn, blob);
    return false;
  }
  std::optional<Row<BlobRefCount>> row = txn.Find<BlobRefCount>(blob);
  if (!row) return false;
  if (row->value.count > 1) {
    txn.Put(blob, BlobRefCount{row->value.count - 1});
    return false;
  }
  txn.Erase<BlobRefCount>(blob);
  return true;
}

bool HasBlobRef(Txn& txn, const BlobId& blob) {
  if (IsSmallBlob(blob)) return txn.Find<SmallBlob>(blob).has_value();
  return txn.Find<BlobRefCount>(blob).has_value();
}

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
