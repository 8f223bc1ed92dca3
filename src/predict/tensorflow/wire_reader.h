// Protocol-buffer wire format, read field by field from a view. A failure: Failure kInvalid; views stay within the bytes
// given.
#pragma once

#include <cstdint>
#include <string_view>

namespace fireweed::predict {

class WireReader {
 public:
  explicit WireReader(std::string_view bytes) : left_(bytes) {}

  // The next field; false at the end.
  bool Next();
  int field() const { return field_; }
  // Of a length-delimited field; empty for others.
  std::string_view bytes() const { return bytes_; }
  // Of a varint or fixed-size field.
  uint64_t number() const { return number_; }

 private:
  uint64_t Varint();
  std::string_view Take(uint64_t count);

  std::string_view left_, bytes_;
  uint64_t number_ = 0;
  int field_ = 0;
};

}  // namespace fireweed::predict
