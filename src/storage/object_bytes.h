// What for: the bytes of one object version, which may lie in several blobs.
// Threads: any number may read at once. May block.
// Owns: open readers; they go on when the object is replaced or deleted meanwhile.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "blob/blob_store.h"
#include "catalog/catalog.h"
#include "net/http_message.h"
#include "storage/byte_range.h"
#include "storage/object_row.h"

namespace fireweed::storage {

class ObjectBytes {
 public:
  // `txn` is what the row was found in. kNotFound: a blob is gone, so the row must be older than what
  // is there now.
  static Result<std::shared_ptr<const ObjectBytes>> Open(Txn& txn, const BlobStore& blobs,
                                                         const ObjectRow& row);

  int64_t size() const { return size_; }
  // Reads up to out.size() bytes; fewer at the end of a part, none at the end of the object.
  Result<size_t> ReadAt(int64_t offset, std::span<std::byte> out) const;
  // Sends this stretch: straight from the file where it lies in one. REQUIRES: within the object.
  void SendAs(net::Response& response, const ByteRange& range) const;
  // The whole object where it lies in memory in one piece, else null.
  std::shared_ptr<const std::string> in_memory() const;

 private:
  struct Part {
    int64_t first;  // offset within the object
    std::shared_ptr<BlobReader> reader;
    std::shared_ptr<const std::string> small;  // the reader's bytes, where it is a small blob
  };
  class Source;
  static Result<Part> OpenPart(Txn& txn, const BlobStore& blobs, const ObjectPart& part);
  const Part& PartAt(int64_t offset) const;

  int64_t size_ = 0;
  std::vector<Part> parts_;  // in order, none empty
};

}  // namespace fireweed::storage
