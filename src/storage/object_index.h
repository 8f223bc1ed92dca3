// What for: the rows of objects within one transaction: the live version of each name, those it
//   replaced, and the counts of the blobs they refer to. It knows nothing of preconditions,
//   buckets' settings or HTTP.
// Who calls: ObjectStore and the sweep, inside a transaction body; one per body.
// May block: as its transaction does.
// A failure: Failure(kInternal) on rows nobody can read.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "catalog/catalog.h"
#include "storage/listing.h"
#include "storage/object_row.h"

namespace fireweed::storage {

enum class OldVersion {
  kDrop,
  kArchive,  // the bucket keeps noncurrent versions
};

// A change in the bytes that a bucket holds of one owner.
struct StoredChange {
  std::string bucket, owner;
  int64_t bytes = 0;
};

class ObjectIndex {
 public:
  // `count`: note what changes() returns.
  explicit ObjectIndex(Txn& txn, bool count = false) : txn_(txn), count_(count) {}

  std::optional<ObjectRow> FindLive(std::string_view bucket, std::string_view name);
  // The live version without a generation, else that version wherever it is.
  std::optional<ObjectRow> Find(std::string_view bucket, std::string_view name,
                                const std::optional<int64_t>& generation);
  // True when the bucket holds no version of anything.
  bool IsEmpty(std::string_view bucket);

  // Makes `row` the live version and refers to its blobs. `small`: the bytes of its only part, a small
  // blob that nothing refers to yet; null when the blobs are there.
  void PutLive(std::string_view bucket, std::string_view name, const ObjectRow& row, OldVersion old,
               Time now, const std::string* small = nullptr);
  // The same where the caller has looked up the live version that is replaced, or that there is none.
  void Replace(std::string_view bucket, std::string_view name, const ObjectRow& row,
               std::optional<ObjectRow> before, OldVersion old, Time now, const std::string* small);
  // Changes a version's metadata in place. REQUIRES: it is there, with the same blobs.
  void Rewrite(std::string_view bucket, std::string_view name, const ObjectRow& row);
  // Takes the live version away. REQUIRES: it is there.
  void RemoveLive(std::string_view bucket, std::string_view name, OldVersion old, Time now);
  // Takes one version away for good, live or not; false when it is not there.
  bool RemoveVersion(std::string_view bucket, std::string_view name, int64_t generation);

  ListingPage List(std::string_view bucket, const ListingQuery& query);

  // Blobs that no row refers to since this transaction: to be dropped after it is committed.
  std::vector<BlobId>& freed() { return freed_; }
  const std::vector<StoredChange>& changes() const { return changes_; }

 private:
  void Retire(std::string_view bucket, std::string_view name, ObjectRow row, OldVersion old,
              Time now);
  void Release(std::string_view bucket, const ObjectRow& row);
  void Note(std::string_view bucket, const ObjectRow& row, int64_t bytes) {
    if (count_) changes_.push_back({std::string(bucket), row.owner, bytes});
  }

  Txn& txn_;
  const bool count_;
  std::vector<StoredChange> changes_;
  std::vector<BlobId> freed_;
};

}  // namespace fireweed::storage
