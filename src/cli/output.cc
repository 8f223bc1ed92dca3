#include "cli/output.h"

#include <algorithm>

#include <fmt/format.h>

namespace fireweed::cli {

std::string Paint(std::string_view text, Colour colour, bool terminal) {
  static constexpr std::string_view kCodes[] = {"", "\x1b[32m", "\x1b[33m", "\x1b[31m", "\x1b[1m"};
  std::string_view code = kCodes[static_cast<size_t>(colour)];
  if (!terminal || code.empty()) return std::string(text);
  return fmt::format("{}{}\x1b[0m", code, text);
}

std::string Table::Text() const {
  std::vector<size_t> widths;
  for (const auto& row : rows_) {
    widths.resize(std::max(widths.size(), row.size()));
    for (size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  std::string out;
  for (const auto& row : rows_) {
    std::string line;
    for (size_t i = 0; i < row.size(); ++i) line += fmt::format("{:<{}}  ", row[i], widths[i]);
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + "\n";
  }
  return out;
}

}  // namespace fireweed::cli
