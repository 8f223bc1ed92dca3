#include "predict/tensorflow/wire_reader.h"

#include "base/error.h"

namespace fireweed::predict {
namespace {

[[noreturn]] void Broken() {
  throw Failure(Code::kInvalid, "saved_model.pb is damaged: it is no protocol buffer");
}

}  // namespace

uint64_t WireReader::Varint() {
  uint64_t value = 0;
  for (int shift = 0; shift < 64; shift += 7) {
    uint8_t byte = static_cast<uint8_t>(Take(1)[0]);
    value |= static_cast<uint64_t>(byte & 0x7f) << shift;
    if (byte < 0x80) return value;
  }
  Broken();
}

std::string_view WireReader::Take(uint64_t count) {
  if (count > left_.size()) Broken();
  std::string_view taken = left_.substr(0, count);
  left_.remove_prefix(count);
  return taken;
}

bool WireReader::Next() {
  if (left_.empty()) return false;
  uint64_t key = Varint();
  field_ = static_cast<int>((key >> 3) & 0x1fffffff);
  bytes_ = {};
  number_ = 0;
  switch (key & 7) {
    case 0: number_ = Varint(); break;
    case 1: bytes_ = Take(8); break;
    case 2: bytes_ = Take(Varint()); break;
    case 5: bytes_ = Take(4); break;
    default: Broken();
  }
  return true;
}

}  // namespace fireweed::predict
