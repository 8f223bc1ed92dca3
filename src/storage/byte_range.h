// Range and Content-Range headers. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace fireweed::storage {

struct ByteRange {
  int64_t first = 0;
  int64_t length = 0;
  friend bool operator==(const ByteRange&, const ByteRange&) = default;
};

// What of an object of `size` bytes a Range header asks for, its end clipped to the object. Nothing
// when the header is to be ignored: another unit, several ranges, bad syntax. Throws
// Failure(kRange) when it begins at or after the end; readers take that for the end of the file.
std::optional<ByteRange> ParseRange(std::string_view header, int64_t size);

// "bytes 0-9/100", "bytes 0-9/*", "bytes */100", "bytes */*" of a chunk of an upload.
struct ContentRange {
  std::optional<ByteRange>
      bytes;  // none: a status query, or the end of an upload whose bytes are all here
  std::optional<int64_t> total;  // none: not known yet
  friend bool operator==(const ContentRange&, const ContentRange&) = default;
};

// Throws Failure(kInvalid).
ContentRange ParseContentRange(std::string_view header);

}  // namespace fireweed::storage
