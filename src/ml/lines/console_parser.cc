#include "ml/lines/console_parser.h"

#include <algorithm>
#include <utility>

#include "init/console_marks.h"

namespace fireweed::ml {

std::vector<ConsoleLine> ConsoleParser::Add(std::string_view bytes) {
  std::vector<ConsoleLine> lines;
  std::string joined;
  std::string_view left = bytes;
  if (!buffer_.empty()) {
    joined = std::move(buffer_).append(bytes);
    left = joined;
  }
  while (!left.empty()) {
    if (left.front() != kMarkByte) {
      size_t skip = std::min(left.find(kMarkByte), left.size());
      passed_over_ += static_cast<int64_t>(skip);
      next_ += static_cast<int64_t>(skip);
      left.remove_prefix(skip);
      continue;
    }
    std::optional<FoundMark> found = ParseMark(left);
    if (!found) {  // a stray mark byte in somebody else's words
      ++passed_over_;
      ++next_;
      left.remove_prefix(1);
      continue;
    }
    if (found->length == 0 || left.size() < found->length + found->mark.size) break;
    TakePiece(found->mark.stream, found->mark.time_ns, left.substr(found->length, found->mark.size),
              static_cast<int64_t>(found->length), lines);
    size_t size = found->length + found->mark.size;
    next_ += static_cast<int64_t>(size);
    left.remove_prefix(size);
  }
  buffer_.assign(left);
  return lines;
}

// Called with next_ at the piece's mark.
void ConsoleParser::TakePiece(char stream, int64_t time_ns, std::string_view piece,
                              int64_t mark_length, std::vector<ConsoleLine>& lines) {
  Partial& partial = partials_[stream == 'E' ? 1 : 0];
  for (size_t at = 0; at < piece.size();) {
    size_t end = piece.find('\n', at);
    bool whole = end != piece.npos;
    std::string_view text = piece.substr(at, (whole ? end : piece.size()) - at);
    if (partial.piece < 0) {
      auto shift = static_cast<int64_t>(at);
      partial.line = {next_ + mark_length + shift, Time(std::chrono::nanoseconds(time_ns + shift)),
                      stream == 'E', ""};
      partial.piece = next_;
    }
    size_t room = kLongestLine - std::min(partial.line.text.size(), kLongestLine);
    partial.line.text.append(text.substr(0, room));
    if (!whole) break;
    at = end + 1;
    if (!partial.line.text.empty() && partial.line.text.back() == '\r') {
      partial.line.text.pop_back();
    }
    lines.push_back(std::exchange(partial.line, {}));
    partial.piece = -1;
  }
}

void ConsoleParser::SkipTo(int64_t offset) {
  next_ = offset;
  buffer_.clear();
  for (Partial& partial : partials_) partial = {};
}

std::vector<ConsoleLine> ConsoleParser::Finish() {
  std::vector<ConsoleLine> lines;
  next_ += static_cast<int64_t>(buffer_.size());
  buffer_.clear();
  for (Partial& partial : partials_) {
    if (partial.piece >= 0) lines.push_back(std::exchange(partial.line, {}));
    partial.piece = -1;
  }
  return lines;
}

int64_t ConsoleParser::safe_offset() const {
  int64_t safe = next_;
  for (const Partial& partial : partials_) {
    if (partial.piece >= 0) safe = std::min(safe, partial.piece);
  }
  return safe;
}

}  // namespace fireweed::ml
