// From the bytes of a console with marks (docs/formats/console-marks.md) to lines. Pure; one thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"

namespace fireweed::ml {

struct ConsoleLine {
  int64_t offset = 0;  // on the console, of its first byte: names the line for ever
  Time time{};
  bool error = false;  // from standard error
  std::string text;    // without its end; cut at kLongestLine
};

class ConsoleParser {
 public:
  static constexpr size_t kLongestLine = 200 << 10;  // an entry of the log holds 256 KiB

  // `offset`: where to begin; one that safe_offset gave, or 0.
  explicit ConsoleParser(int64_t offset) : next_(offset) {}

  // Takes the bytes that follow what was taken before; the lines that they complete.
  std::vector<ConsoleLine> Add(std::string_view bytes);
  // There is a gap: bytes up to `offset` are lost. What was half read goes with them.
  void SkipTo(int64_t offset);
  // The console has ended: what has no end ends here.
  std::vector<ConsoleLine> Finish();

  // The offset of the byte that Add expects next.
  int64_t next_offset() const { return next_ + static_cast<int64_t>(buffer_.size()); }
  // A parser that begins here gives every line again that is not complete yet, and some that were.
  int64_t safe_offset() const;
  // Bytes that were no piece's: process 1's own words, or rubbish.
  int64_t passed_over() const { return passed_over_; }

 private:
  struct Partial {
    ConsoleLine line;
    int64_t piece = -1;  // offset of the mark it began after; -1: nothing is pending
  };
  void TakePiece(char stream, int64_t time_ns, std::string_view piece, int64_t mark_length,
                 std::vector<ConsoleLine>& lines);

  int64_t next_;        // offset of buffer_'s first byte
  std::string buffer_;  // a mark, or a piece, that is not whole yet
  Partial partials_[2];
  int64_t passed_over_ = 0;
};

}  // namespace fireweed::ml
