// The name of a segment file says what is in it, so that a store opens without reading any:
//   TAG,000001.live                        the one that is appended to
//   TAG,000001,MIN,MAX,SIZE.log            complete: first and last time in nanoseconds, bytes
// TAG is percent-encoded, so that it may be anything. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace fireweed::logs {

struct SegmentName {
  std::string tag;
  uint64_t number = 1;
  bool live = true;
  int64_t min_time = 0, max_time = 0, size = 0;  // of a complete one

  std::string FileName() const;
  static std::optional<SegmentName> Parse(std::string_view file_name);
  friend bool operator==(const SegmentName&, const SegmentName&) = default;
};

}  // namespace fireweed::logs
