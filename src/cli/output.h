// What commands print: aligned tables for people, JSON for programs, colours only on a terminal.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace fireweed::cli {

enum class Colour { kPlain, kGreen, kYellow, kRed, kBold };

// `text` in the colour, or as it is when `terminal` is false.
std::string Paint(std::string_view text, Colour colour, bool terminal);

class Table {
 public:
  explicit Table(std::vector<std::string> head) : rows_{std::move(head)} {}
  void Add(std::vector<std::string> row) { rows_.push_back(std::move(row)); }
  // Two spaces between columns, no trailing blanks.
  std::string Text() const;

 private:
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace fireweed::cli
