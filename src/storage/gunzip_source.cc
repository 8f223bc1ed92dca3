#include "storage/gunzip_source.h"

#include <algorithm>
#include <array>

#include "base/bytes.h"

namespace fireweed::storage {
namespace {

// Small, because gzip can grow a thousandfold: what one such piece unpacks to is held in memory.
constexpr size_t kPacked = 1 << 10;

}  // namespace

Result<> GunzipSource::Fill() {
  plain_.clear();
  taken_ = 0;
  std::array<std::byte, kPacked> piece;
  while (plain_.empty() && at_ < packed_->size()) {
    Result<size_t> got = packed_->ReadAt(at_, piece);
    if (!got.ok()) return got.error();
    if (*got == 0) return Error{Code::kInternal, "", "an object is shorter than its row says"};
    at_ += static_cast<int64_t>(*got);
    try {
      gunzip_.Feed(std::span(piece).first(*got),
                   [&](std::span<const std::byte> bytes) { plain_.append(AsText(bytes)); });
    } catch (const Failure& failure) {
      return failure.error();
    }
  }
  if (plain_.empty() && packed_->size() > 0 && !gunzip_.complete()) {
    return Error{Code::kInternal, "", "an object's gzip ends too early"};
  }
  return Done{};
}

Result<size_t> GunzipSource::Read(std::span<std::byte> out) {
  if (taken_ == plain_.size()) {
    Result<> filled = Fill();
    if (!filled.ok()) return filled.error();
  }
  size_t count = std::min(out.size(), plain_.size() - taken_);
  std::copy_n(AsBytes(plain_).begin() + static_cast<std::ptrdiff_t>(taken_), count, out.begin());
  taken_ += count;
  return count;
}

}  // namespace fireweed::storage
