// What for: blobs whose bytes are known to be other than what was uploaded. They are never served: a read
//   is answered with an error until the object is written anew or the blob is found sound again.
// Who calls: any thread; Any and Has do not block, the others write the catalog.
// Owns: rows of kind `damaged_blob`, and the same in memory.
// A failure: Failure of the catalog; then nothing is noted on disk, but in memory it is.
#pragma once

#include <atomic>
#include <set>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/guarded.h"
#include "blob/blob_store.h"
#include "catalog/record.h"
#include "storage/object_row.h"

namespace fireweed::storage {

struct DamagedBlob {
  std::string why;  // "checksum", "size" or "missing", with what was found
  Time seen;
};

class DamagedBlobs {
 public:
  // Reads what is known: blocks.
  DamagedBlobs(Catalog& catalog, const Clock& clock);

  bool Has(const BlobId& blob) const;
  // Whether one of the row's blobs is damaged.
  bool Any(const ObjectRow& row) const;
  int64_t count() const { return count_.load(); }

  void Mark(const std::vector<ObjectPart>& parts, const std::string& why);
  // They were read and are as their rows say.
  void Clear(const std::vector<ObjectPart>& parts);
  // Forgets those that nothing refers to any more.
  void Tidy();

 private:
  void Remove(const std::vector<BlobId>& blobs);

  Catalog& catalog_;
  const Clock& clock_;
  std::atomic<int64_t> count_{0};  // so that a sound store costs one load
  Guarded<std::set<BlobId>> blobs_;
};

}  // namespace fireweed::storage

namespace fireweed {
template <>
inline constexpr auto kFields<storage::DamagedBlob> = [](auto...) {
  return Fields{F("why", &storage::DamagedBlob::why), F("seen", &storage::DamagedBlob::seen)};
};
template <>
inline constexpr std::string_view kRecordKind<storage::DamagedBlob> = "damaged_blob";
}  // namespace fireweed
