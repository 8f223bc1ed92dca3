// What for: whether the bytes of a stored object are what was uploaded, by reading all of them.
// Who calls: the scrub and fsck, on threads of their own. May block for as long as reading takes.
// Owns: nothing.
// A failure: Failure where rows or disk cannot be read at all; what is wrong with one object is the answer.
#pragma once

#include <functional>
#include <string>

#include "blob/blob_store.h"
#include "catalog/catalog.h"
#include "storage/object_row.h"

namespace fireweed::storage {

struct StoredVersion {
  std::string bucket, name;
  ObjectRow row;
  bool live = true;
};

// Every version of every object, page by page; stops when `each` says false. What is written meanwhile may
// or may not be seen. `each` may write the catalog.
void ForEachVersion(const Catalog& catalog, const std::function<bool(const StoredVersion&)>& each);
// The same of one moment, within a transaction.
void ForEachVersion(Txn& txn, const std::function<bool(const StoredVersion&)>& each);

struct ObjectVerdict {
  enum class Kind {
    kSound,
    kGone,     // replaced or deleted meanwhile
    kStopped,  // by `pace`
    kMissing,  // a blob is not there
    kSize,
    kChecksum,
    kUnreadable,
  } kind = Kind::kSound;
  std::string why;
  bool damaged() const { return kind >= Kind::kMissing; }
};

// Called with the number of bytes after each piece that was read; may block. False: stop.
using Pace = std::function<bool(int64_t bytes)>;

ObjectVerdict CheckObject(const Catalog& catalog, const BlobStore& blobs,
                          const StoredVersion& version, const Pace& pace);

}  // namespace fireweed::storage
