#include "records/wire_format.h"

#include <bit>

namespace fireweed::records {

double WireField::AsDouble() const { return std::bit_cast<double>(bits); }
float WireField::AsFloat() const { return std::bit_cast<float>(static_cast<uint32_t>(bits)); }

std::nullopt_t WireReader::Broken() {
  broken_ = true;
  rest_ = {};
  return std::nullopt;
}

std::optional<uint64_t> WireReader::Varint() {
  uint64_t value = 0;
  for (unsigned shift = 0; shift < 64; shift += 7) {
    if (rest_.empty()) {
      if (shift == 0 && !broken_) return std::nullopt;
      return Broken();
    }
    uint64_t byte = static_cast<unsigned char>(rest_.front());
    rest_.remove_prefix(1);
    value |= (byte & 0x7f) << shift;
    if (byte < 0x80) return value;
  }
  return Broken();
}

std::optional<uint64_t> WireReader::Fixed(size_t bytes) {
  if (rest_.empty()) return std::nullopt;
  if (rest_.size() < bytes) return Broken();
  uint64_t value = 0;
  for (size_t i = 0; i < bytes; ++i)
    value |= static_cast<uint64_t>(static_cast<unsigned char>(rest_[i])) << (8 * i);
  rest_.remove_prefix(bytes);
  return value;
}

std::optional<WireField> WireReader::Next() {
  std::optional<uint64_t> key = Varint();
  if (!key) return std::nullopt;
  uint64_t number = *key >> 3;
  if (number == 0 || number > (1u << 29) - 1) return Broken();
  WireField field{static_cast<uint32_t>(number), static_cast<WireType>(*key & 7), 0, {}};
  std::optional<uint64_t> value;
  switch (field.type) {
    case WireType::kVarint: value = Varint(); break;
    case WireType::kFixed64: value = Fixed(8); break;
    case WireType::kFixed32: value = Fixed(4); break;
    case WireType::kBytes: {
      value = Varint();
      if (!value || *value > rest_.size()) return Broken();
      field.bytes = rest_.substr(0, *value);
      rest_.remove_prefix(*value);
      return field;
    }
    default: break;
  }
  if (!value) return Broken();
  field.bits = *value;
  return field;
}

void WireWriter::Varint(uint64_t value) {
  for (; value >= 0x80; value >>= 7) bytes_.push_back(static_cast<char>(value | 0x80));
  bytes_.push_back(static_cast<char>(value));
}

void WireWriter::Fixed(uint64_t value, size_t size) {
  for (size_t i = 0; i < size; ++i) bytes_.push_back(static_cast<char>((value >> (8 * i)) & 0xff));
}

WireWriter& WireWriter::Integer(uint32_t number, uint64_t value) {
  Varint(uint64_t{number} << 3 | static_cast<uint64_t>(WireType::kVarint));
  Varint(value);
  return *this;
}

WireWriter& WireWriter::Double(uint32_t number, double value) {
  Varint(uint64_t{number} << 3 | static_cast<uint64_t>(WireType::kFixed64));
  Fixed(std::bit_cast<uint64_t>(value), 8);
  return *this;
}

WireWriter& WireWriter::Float(uint32_t number, float value) {
  Varint(uint64_t{number} << 3 | static_cast<uint64_t>(WireType::kFixed32));
  Fixed(std::bit_cast<uint32_t>(value), 4);
  return *this;
}

WireWriter& WireWriter::Text(uint32_t number, std::string_view bytes) {
  Varint(uint64_t{number} << 3 | static_cast<uint64_t>(WireType::kBytes));
  Varint(bytes.size());
  bytes_.append(bytes);
  return *this;
}

}  // namespace fireweed::records
