// Copies models out of buckets, with the rights of the account that acts for a version. Action threads; blocks for as
// long as the copy takes.
// A failure: kNotFound, kDenied and kTooLarge are the model's own fault and say what to do; anything else may be tried
// again.
#pragma once

#include <string>

#include "net/access.h"
#include "storage/object_store.h"

namespace fireweed {

struct ModelOrder {
  std::string uri;      // gs://BUCKET/DIRECTORY, or a single object
  std::string account;  // e-mail of the service account that reads
  int64_t most_bytes = 0;
};

// Every object below the directory, into `directory`, by its name below it; synced.
Result<> CopyModel(const storage::ObjectStore& store, net::AccessControl& access,
                   const ModelOrder& order, const std::string& directory);

}  // namespace fireweed
