// Reads a blob that is in memory as a whole. Any number of threads; does not block.
#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include "base/bytes.h"
#include "blob/blob_store.h"

namespace fireweed {

class BytesReader final : public BlobReader {
 public:
  explicit BytesReader(std::shared_ptr<const std::string> bytes) : bytes_(std::move(bytes)) {}
  int64_t size() const override { return static_cast<int64_t>(bytes_->size()); }
  Result<size_t> ReadAt(int64_t offset, std::span<std::byte> out) const override {
    if (offset < 0) return Error{Code::kInternal, "", "read before the beginning"};
    std::span<const std::byte> bytes = AsBytes(*bytes_);
    bytes = bytes.subspan(std::min(static_cast<size_t>(offset), bytes.size()));
    size_t count = std::min(out.size(), bytes.size());
    std::copy_n(bytes.begin(), count, out.begin());
    return count;
  }

 private:
  std::shared_ptr<const std::string> bytes_;
};

}  // namespace fireweed
