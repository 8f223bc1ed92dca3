#include "init/console_marks.h"

#include <algorithm>
#include <charconv>

namespace fireweed {

std::string FormatMark(const ConsoleMark& mark) {
  std::string text{kMarkByte, mark.stream, ' '};
  text.append(std::to_string(mark.time_ns)).append(" ").append(std::to_string(mark.size));
  return text += '\n';
}

std::optional<FoundMark> ParseMark(std::string_view text) {
  size_t end = text.find('\n');
  if (end == text.npos) {
    if (text.size() >= kLongestMark) return std::nullopt;
    return FoundMark{};
  }
  FoundMark found{.length = end + 1};
  std::string_view line = text.substr(0, end);
  if (line.size() < 6 || line.size() >= kLongestMark || line[2] != ' ') return std::nullopt;
  found.mark.stream = line[1];
  if (line[0] != kMarkByte || (line[1] != 'O' && line[1] != 'E')) return std::nullopt;
  const char* last = line.data() + line.size();
  auto [after, wrong] = std::from_chars(line.data() + 3, last, found.mark.time_ns);
  if (wrong != std::errc() || after == last || *after != ' ') return std::nullopt;
  auto [stop, bad] = std::from_chars(after + 1, last, found.mark.size);
  if (bad != std::errc() || stop != last || found.mark.size > kLongestPiece) return std::nullopt;
  return found;
}

}  // namespace fireweed
