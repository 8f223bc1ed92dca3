#include "storage/compact_form.h"

#include "base/error.h"

namespace fireweed::storage {

void CompactWriter::Number(uint64_t value) {
  while (value >= 0x80) {
    out_ += static_cast<char>(value | 0x80);
    value >>= 7;
  }
  out_ += static_cast<char>(value);
}

void CompactWriter::Text(std::string_view text) {
  Number(text.size());
  out_.append(text);
}

uint64_t CompactReader::Number() {
  uint64_t value = 0;
  for (int shift = 0; shift < 64 && !rest_.empty(); shift += 7) {
    uint8_t byte = static_cast<uint8_t>(rest_.front());
    rest_.remove_prefix(1);
    value |= static_cast<uint64_t>(byte & 0x7f) << shift;
    if (byte < 0x80) return value;
  }
  throw Failure(Code::kInternal, "a stored row ends in the middle of a number");
}

std::string_view CompactReader::Text() {
  uint64_t size = Number();
  if (size > rest_.size())
    throw Failure(Code::kInternal, "a stored row ends in the middle of text");
  std::string_view text = rest_.substr(0, size);
  rest_.remove_prefix(size);
  return text;
}

}  // namespace fireweed::storage
