// Buckets as transactions find them, decoded once for every change of their row and not once for
// every object that is written.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "api/storage/bucket.h"
#include "base/guarded.h"
#include "catalog/catalog.h"

namespace fireweed::storage {

// Any thread; does no more than look at the row in the transaction it is given, so it is right in
// the middle of a group of writes, too.
class KnownBuckets {
 public:
  // The bucket, or Failure(kNotFound) in the words of the JSON API.
  std::shared_ptr<const api::storage::Bucket> Find(Txn& txn, std::string_view bucket);

 private:
  struct Entry {
    std::string body;  // of the row that was decoded
    std::shared_ptr<const api::storage::Bucket> bucket;
  };
  Guarded<std::map<std::string, Entry, std::less<>>> entries_;
};

}  // namespace fireweed::storage
