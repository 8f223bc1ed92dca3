#include "describe/random_value.h"

#include <iterator>

#include <fmt/format.h>

namespace fireweed {
namespace {

constexpr int kMaxDepth = 4;  // types may contain themselves

std::string RandomText(Random& random) {
  static constexpr std::string_view kPieces[] = {"a", "Z",  "/", "%2F", "\"", "\\", "\n",   "\x01",
                                                 "é", "漢", "😀", " ",   "-",  "{",  "null", "0"};
  std::string text;
  for (uint64_t n = random.Below(6); n > 0; --n) text += kPieces[random.Below(std::size(kPieces))];
  return text;
}

}  // namespace

void RandomizeValue(const Type& type, void* value, Random& random, int depth) {
  switch (type.kind) {
    case Kind::kBool: *static_cast<bool*>(value) = random.Below(2) == 1; return;
    case Kind::kInt32:
      *static_cast<int32_t*>(value) = static_cast<int32_t>(random.Next64());
      return;
    case Kind::kInt64:
      *static_cast<int64_t*>(value) = static_cast<int64_t>(random.Next64());
      return;
    case Kind::kDouble:
      *static_cast<double*>(value) = static_cast<double>(random.Below(1u << 30)) / 1024 - 1000;
      return;
    case Kind::kString: *static_cast<std::string*>(value) = RandomText(random); return;
    case Kind::kBytes: static_cast<Bytes*>(value)->raw = RandomText(random); return;
    case Kind::kTime:
      *static_cast<Time*>(value) =
          FromMicros(static_cast<int64_t>(random.Below(4'000'000'000'000'000))) +
          Duration(random.Below(1000));
      return;
    case Kind::kJson:
      static_cast<Json*>(value)->text = fmt::format("{{\"n\":{}}}", random.Below(100));
      return;
    case Kind::kEnum:
      type.set_enum(value, static_cast<int>(random.Below(type.enum_names.size())));
      return;
    case Kind::kStruct:
      for (const Field& field : type.fields) {
        RandomizeValue(*field.type, field.Of(value), random, depth + 1);
      }
      return;
    case Kind::kList:
      type.reset(value);
      if (depth > kMaxDepth) return;
      for (uint64_t n = random.Below(3); n > 0; --n) {
        RandomizeValue(*type.element, type.append(value), random, depth + 1);
      }
      return;
    case Kind::kMap:
      type.reset(value);
      if (depth > kMaxDepth) return;
      for (uint64_t n = random.Below(3); n > 0; --n) {
        RandomizeValue(*type.element, type.insert(value, fmt::format("k{}", n)), random, depth + 1);
      }
      return;
    case Kind::kOptional:
      type.reset(value);
      if (depth > kMaxDepth || random.Below(2) == 0) return;
      RandomizeValue(*type.element, type.emplace(value), random, depth + 1);
  }
}

}  // namespace fireweed
