#include "ml/lines/followed_console.h"

#include <fcntl.h>
#include <unistd.h>

#include <utility>

#include <fmt/format.h>

#include "ml/lines/line_entry.h"

namespace fireweed::ml {
namespace {

// Small enough that a chatty replica keeps the others waiting for milliseconds only.
constexpr size_t kPieceBytes = 64 << 10;

}  // namespace

using logs::LogLine;

FollowedConsole::Piece FollowedConsole::Read() {
  Piece piece;
  if (!fd_) fd_ = UniqueFd(open(path_.c_str(), O_RDONLY | O_CLOEXEC));
  if (!fd_) return piece;
  buffer_.resize(kPieceBytes);
  ssize_t n = pread(fd_.get(), buffer_.data(), buffer_.size(), parser_.next_offset());
  if (n <= 0) return piece;
  buffer_.resize(static_cast<size_t>(n));
  piece.more = buffer_.size() == kPieceBytes;
  if (buffer_.front() == '\0' && SkipGap()) {
    piece.more = true;
    return piece;
  }
  piece.lines = Lines(parser_.Add(buffer_));
  return piece;
}

// Old blocks of the console were given back before they were read: more was printed than is kept.
bool FollowedConsole::SkipGap() {
  int64_t from = parser_.next_offset();
  off_t data = lseek(fd_.get(), from, SEEK_DATA);
  if (data <= from) return false;
  parser_.SkipTo(data);
  lost_ += data - from;
  return true;
}

std::vector<LogLine> FollowedConsole::Finish() { return Lines(parser_.Finish()); }

std::vector<LogLine> FollowedConsole::Lines(std::vector<ConsoleLine> found) {
  std::vector<LogLine> lines;
  lines.reserve(found.size() + 2);
  int64_t last_offset = 0;
  if (lost_ > 0 && !found.empty()) {
    lines.push_back(Notice(found.front().offset, found.front().time - std::chrono::nanoseconds(1),
                           fmt::format("{} bytes of output were lost: they were printed faster "
                                       "than they could be collected.",
                                       std::exchange(lost_, 0))));
  }
  for (ConsoleLine& one : found) {
    last_time_ = one.time;
    last_offset = one.offset;
    if (!budget_.Take(one.time, one.text.size())) continue;
    LogLine& line = lines.emplace_back();
    line.timestamp = one.time;
    line.insertId = fmt::format("{:012x}{}", one.offset, machine_);
    Fill(line, std::move(one));
  }
  if (int64_t dropped = budget_.TakeDropped()) {
    lines.push_back(Notice(last_offset, last_time_,
                           fmt::format("{} lines were dropped: this replica prints more than the "
                                       "service keeps.",
                                       dropped)));
  }
  return lines;
}

// The cloud's rule: standard output is INFO, standard error is ERROR. The further lines of a message that named its
// severity, printed with it, have that one.
void FollowedConsole::Fill(LogLine& line, ConsoleLine found) {
  constexpr Duration kSameMessage = std::chrono::milliseconds(1);
  using api::logging::Severity;
  Saying& saying = sayings_[found.error ? 1 : 0];
  // Measured from the message's first line: a trainer that prints without a pause says something new all the time.
  bool goes_on = saying.severity && found.time - saying.time < kSameMessage &&
                 !found.text.starts_with("Traceback ");
  if (!goes_on) saying.severity.reset();
  Severity plain = found.error ? Severity::kError : Severity::kInfo;
  bool begins = FillPayload(line, std::move(found.text), plain, saying.severity);
  if (begins) saying = {line.severity, found.time};
  if (!line.jsonPayload.text.empty()) saying.severity.reset();
}

LogLine FollowedConsole::Notice(int64_t offset, Time time, std::string message) const {
  LogLine line;
  line.timestamp = time;
  line.severity = api::logging::Severity::kWarning;
  line.insertId = fmt::format("{:012x}{}-notice", offset, machine_);
  line.textPayload = std::move(message);
  return line;
}

}  // namespace fireweed::ml
