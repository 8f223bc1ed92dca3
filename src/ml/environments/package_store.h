// What for: packages in gs://, looked at and copied as an account may.
// Who calls: Find by whoever asks for an environment; it reads the catalog only. Copy by actions; it may block.
// A failure: Error in the words of the store: not there, or not this account's to read.
#pragma once

#include <cstdint>
#include <string>

#include "base/result.h"

namespace fireweed::ml {

struct PackageSight {
  int64_t generation = 0;
  std::string sum;  // the same bytes, the same word
};

class PackageStore {
 public:
  virtual ~PackageStore() = default;
  virtual Result<PackageSight> Find(const std::string& uri, const std::string& account) = 0;
  // To a file that is not there yet.
  virtual Result<> Copy(const std::string& uri, int64_t generation, const std::string& account,
                        const std::string& path) = 0;
};

}  // namespace fireweed::ml
