#include "storage/small_blobs.h"

#include <fmt/format.h>

#include "storage/compact_form.h"

namespace fireweed::storage {

BlobId SmallBlobId(int64_t generation) { return fmt::format("s{:016x}", generation); }

bool IsSmallBlob(const BlobId& id) { return id.starts_with('s'); }

}  // namespace fireweed::storage

namespace fireweed {

std::string RecordCodec<storage::SmallBlob>::Encode(const storage::SmallBlob& blob) {
  storage::CompactWriter out;
  out.Number(static_cast<uint64_t>(blob.refs));
  out.Text(blob.bytes);
  return out.Take();
}

storage::SmallBlob RecordCodec<storage::SmallBlob>::Decode(std::string_view bytes) {
  storage::CompactReader in(bytes);
  storage::SmallBlob blob;
  blob.refs = static_cast<int64_t>(in.Number());
  blob.bytes = in.Text();
  return blob;
}

}  // namespace fireweed
