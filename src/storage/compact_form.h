// Numbers and strings as few bytes as possible: varints (seven bits a byte, low ones first) and
// length-prefixed text. Rows that exist by the million are kept in this form.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace fireweed::storage {

class CompactWriter {
 public:
  void Number(uint64_t value);
  void Text(std::string_view text);
  void Reserve(size_t bytes) { out_.reserve(bytes); }
  std::string Take() { return std::move(out_); }

 private:
  std::string out_;
};

// Reads what CompactWriter wrote. Throws Failure(kInternal) where the bytes end early: only this
// program writes them.
class CompactReader {
 public:
  explicit CompactReader(std::string_view bytes) : rest_(bytes) {}
  uint64_t Number();
  std::string_view Text();  // a view into the bytes given
  bool done() const { return rest_.empty(); }

 private:
  std::string_view rest_;
};

}  // namespace fireweed::storage
