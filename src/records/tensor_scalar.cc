#include "records/tensor_scalar.h"

#include <bit>
#include <cmath>

#include "records/wire_format.h"

namespace fireweed::records {
namespace {

// Field numbers of TensorProto and numbers of DataType.
enum Field : uint32_t {
  kDtype = 1,
  kShape = 2,
  kContent = 4,
  kFloats = 5,
  kDoubles = 6,
  kInts = 7,
  kInt64s = 10,
  kBools = 11,
  kHalves = 13,
  kUint32s = 16,
  kUint64s = 17,
};
enum Dtype : uint64_t {
  kFloat = 1,
  kDouble = 2,
  kInt32 = 3,
  kUint8 = 4,
  kInt16 = 5,
  kInt8 = 6,
  kInt64 = 9,
  kBool = 10,
  kBfloat16 = 14,
  kUint16 = 17,
  kHalf = 19,
  kUint32 = 22,
  kUint64 = 23,
};

double HalfToDouble(uint16_t bits) {
  int exponent = (bits >> 10) & 0x1f, fraction = bits & 0x3ff;
  double value = exponent == 0    ? std::ldexp(fraction, -24)
                 : exponent == 31 ? (fraction ? NAN : INFINITY)
                                  : std::ldexp(fraction + 1024, exponent - 25);
  return bits & 0x8000 ? -value : value;
}

size_t Width(uint64_t dtype) {
  switch (dtype) {
    case kUint8:
    case kInt8:
    case kBool: return 1;
    case kInt16:
    case kUint16:
    case kHalf:
    case kBfloat16: return 2;
    case kFloat:
    case kInt32:
    case kUint32: return 4;
    case kDouble:
    case kInt64:
    case kUint64: return 8;
    default: return 0;
  }
}

double FromBits(uint64_t dtype, uint64_t bits) {
  switch (dtype) {
    case kFloat: return std::bit_cast<float>(static_cast<uint32_t>(bits));
    case kDouble: return std::bit_cast<double>(bits);
    case kHalf: return HalfToDouble(static_cast<uint16_t>(bits));
    case kBfloat16: return std::bit_cast<float>(static_cast<uint32_t>(bits & 0xffff) << 16);
    case kInt8: return static_cast<int8_t>(bits);
    case kInt16: return static_cast<int16_t>(bits);
    case kInt32: return static_cast<int32_t>(bits);
    case kInt64: return static_cast<double>(static_cast<int64_t>(bits));
    default: return static_cast<double>(bits);
  }
}

// Every dimension is 1, or there is none.
bool OneElement(std::string_view shape) {
  WireReader dimensions(shape);
  while (auto dimension = dimensions.Next()) {
    if (dimension->number == 3 && dimension->bits != 0) return false;  // unknown rank
    if (dimension->number != 2) continue;
    uint64_t size = 0;
    WireReader parts(dimension->bytes);
    while (auto part = parts.Next()) {
      if (part->number == 1) size = part->bits;
    }
    if (size != 1) return false;
  }
  return !dimensions.broken();
}

bool HoldsValues(uint32_t number) {
  switch (number) {
    case kFloats:
    case kDoubles:
    case kInts:
    case kInt64s:
    case kBools:
    case kHalves:
    case kUint32s:
    case kUint64s: return true;
    default: return false;
  }
}

// The first value of a repeated field, packed or not.
std::optional<uint64_t> FirstValue(const WireField& field) {
  if (field.type != WireType::kBytes) return field.bits;
  WireReader packed(field.bytes);
  if (field.number == kFloats) return packed.Fixed(4);
  if (field.number == kDoubles) return packed.Fixed(8);
  return packed.Varint();
}

}  // namespace

std::optional<double> TensorScalar(std::string_view tensor_proto) {
  uint64_t dtype = 0;
  std::optional<uint64_t> bits;
  std::string_view content;
  WireReader fields(tensor_proto);
  while (auto field = fields.Next()) {
    if (field->number == kDtype) dtype = field->bits;
    if (field->number == kShape && !OneElement(field->bytes)) return std::nullopt;
    if (field->number == kContent) content = field->bytes;
    if (HoldsValues(field->number) && !bits) bits = FirstValue(*field);
  }
  size_t width = Width(dtype);
  if (fields.broken() || width == 0) return std::nullopt;
  if (!content.empty()) {
    if (content.size() != width) return std::nullopt;
    bits = WireReader(content).Fixed(width);
  }
  // The number zero may be left out altogether.
  return FromBits(dtype, bits.value_or(0));
}

}  // namespace fireweed::records
