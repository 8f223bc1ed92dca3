#include "records/record_io.h"

#include <fmt/format.h>

#include "base/bytes.h"
#include "base/checksum.h"

namespace fireweed::records {
namespace {

constexpr size_t kHead = 12, kFoot = 4;
constexpr size_t kCompactAt = 64 << 10;  // handed-out bytes that are worth moving the rest for

// A checksum of bytes that hold checksums themselves would be weak; hence the mask.
uint32_t Masked(std::string_view bytes) {
  uint32_t crc = Crc32c(AsBytes(bytes));
  return ((crc >> 15) | (crc << 17)) + 0xa282ead8u;
}

template <class Number>
Number ReadLittleEndian(std::string_view bytes) {
  Number value = 0;
  for (size_t i = 0; i < sizeof(Number); ++i)
    value |= static_cast<Number>(static_cast<unsigned char>(bytes[i])) << (8 * i);
  return value;
}

template <class Number>
void AppendLittleEndian(std::string& out, Number value) {
  for (size_t i = 0; i < sizeof(Number); ++i)
    out.push_back(static_cast<char>((value >> (8 * i)) & 0xff));
}

}  // namespace

void AppendRecord(std::string& out, std::string_view record) {
  size_t start = out.size();
  AppendLittleEndian<uint64_t>(out, record.size());
  AppendLittleEndian<uint32_t>(out, Masked(std::string_view(out).substr(start, 8)));
  out.append(record);
  AppendLittleEndian<uint32_t>(out, Masked(record));
}

void RecordSplitter::Feed(std::string_view bytes) {
  if (at_ >= kCompactAt || at_ == buffer_.size()) {
    buffer_.erase(0, at_);
    at_ = 0;
  }
  buffer_.append(bytes);
}

Error RecordSplitter::Damaged(std::string_view what) {
  damage_ = Error{Code::kInvalid, "dataLoss",
                  fmt::format("corrupted record at offset {}: {}", consumed_, what)};
  return *damage_;
}

Result<std::optional<std::string_view>> RecordSplitter::Next() {
  if (damage_) return *damage_;
  std::string_view rest = std::string_view(buffer_).substr(at_);
  if (rest.size() < kHead) return std::optional<std::string_view>();
  if (ReadLittleEndian<uint32_t>(rest.substr(8, 4)) != Masked(rest.substr(0, 8)))
    return Damaged("the checksum of its length does not match");
  uint64_t length = ReadLittleEndian<uint64_t>(rest);
  if (length > largest_) return Damaged(fmt::format("it claims to have {} bytes", length));
  if (rest.size() < kHead + length + kFoot) return std::optional<std::string_view>();
  std::string_view record = rest.substr(kHead, length);
  if (ReadLittleEndian<uint32_t>(rest.substr(kHead + length, 4)) != Masked(record))
    return Damaged("its checksum does not match");
  at_ += kHead + length + kFoot;
  consumed_ += static_cast<int64_t>(kHead + length + kFoot);
  return std::optional<std::string_view>(record);
}

}  // namespace fireweed::records
