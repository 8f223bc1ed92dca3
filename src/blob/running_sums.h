// Size, crc32c and md5 of bytes that stream by.
#pragma once

#include <cstdint>
#include <span>

#include "base/checksum.h"
#include "blob/blob_store.h"

namespace fireweed {

class RunningSums {
 public:
  void Add(std::span<const std::byte> bytes) {
    size_ += static_cast<int64_t>(bytes.size());
    crc32c_ = Crc32c(bytes, crc32c_);
    md5_.Update(bytes);
  }
  int64_t size() const { return size_; }
  uint32_t crc32c() const { return crc32c_; }
  BlobInfo For(const BlobId& id) const { return {id, size_, crc32c_, md5_.Current()}; }

 private:
  int64_t size_ = 0;
  uint32_t crc32c_ = 0;
  Hasher md5_{Digest::kMd5};
};

}  // namespace fireweed
