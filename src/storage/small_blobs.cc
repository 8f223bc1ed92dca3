#include "storage/small_blobs.h"

#include <fmt/format.h>

#include "storage/compact_form.h"

namespace fireweed::storage {
namespace {

std::string Encoded(int64_t refs, std::string_view bytes) {
  CompactWriter out;
  out.Reserve(bytes.size() + 16);
  out.Number(static_cast<uint64_t>(refs));
  out.Text(bytes);
  return out.Take();
}

}  // namespace

BlobId SmallBlobId(int64_t generation) { return fmt::format("s{:016x}", generation); }

bool IsSmallBlob(const BlobId& id) { return id.starts_with('s'); }

void PutSmallBlob(Txn& txn, const BlobId& id, std::string_view bytes) {
  txn.PutRaw(RecordCodec<SmallBlob>::kKind, id, Encoded(1, bytes), 0);
}

}  // namespace fireweed::storage

namespace fireweed {

std::string RecordCodec<storage::SmallBlob>::Encode(const storage::SmallBlob& blob) {
  return storage::Encoded(blob.refs, blob.bytes);
}

storage::SmallBlob RecordCodec<storage::SmallBlob>::Decode(std::string_view bytes) {
  storage::CompactReader in(bytes);
  storage::SmallBlob blob;
  blob.refs = static_cast<int64_t>(in.Number());
  blob.bytes = in.Text();
  return blob;
}

}  // namespace fireweed
