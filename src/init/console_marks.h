// Output of a workload on the console: each piece has a mark before it, so that whoever follows the console knows the
// stream, the time and the end of it whatever else is written in between (docs/formats/console-marks.md):
//
//   \x1e O 1763190000123456789 27 \n  27 bytes of standard output
//
// Times grow by at least a nanosecond a byte, so that every line can have a time of its own. A mark and its piece are one write of at most PIPE_BUF bytes, which the kernel does not mix with another's.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace fireweed {

inline constexpr char kMarkByte = '\x1e';
inline constexpr size_t kLongestMark = 40;
inline constexpr size_t kLongestPiece = 4096 - kLongestMark;

struct ConsoleMark {
  char stream = 'O';  // 'E': standard error
  int64_t time_ns = 0;
  size_t size = 0;  // bytes that follow the mark
};

std::string FormatMark(const ConsoleMark& mark);

// What stands at the beginning of `text`, which begins with kMarkByte.
struct FoundMark {
  ConsoleMark mark;
  size_t length = 0;  // of the mark itself, with its newline; 0: not whole yet
};
// nullopt: no mark, however much more came.
std::optional<FoundMark> ParseMark(std::string_view text);

}  // namespace fireweed
