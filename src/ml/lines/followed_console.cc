#include "ml/lines/followed_console.h"

#include <fcntl.h>
#include <unistd.h>

#include <utility>

#include <fmt/format.h>

#include "ml/lines/line_entry.h"

namespace fireweed::ml {
namespace {

// Small enough that a chatty replica keeps the others waiting for milliseconds only.
constexpr size_t kPieceBytes = 128 << 10;

}  // namespace

using api::logging::LogEntry;

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
  piece.entries = Entries(parser_.Add(buffer_));
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

std::vector<LogEntry> FollowedConsole::Finish() { return Entries(parser_.Finish()); }

std::vector<LogEntry> FollowedConsole::Entries(std::vector<ConsoleLine> lines) {
  std::vector<LogEntry> entries;
  entries.reserve(lines.size() + 2);
  int64_t last_offset = 0;
  if (lost_ > 0 && !lines.empty()) {
    entries.push_back(
        Notice(lines.front().offset, lines.front().time - std::chrono::nanoseconds(1),
               fmt::format("{} bytes of output were lost: they were printed faster than they "
                           "could be collected.",
                           std::exchange(lost_, 0))));
  }
  for (ConsoleLine& line : lines) {
    last_time_ = line.time;
    last_offset = line.offset;
    if (!budget_.Take(line.time, line.text.size())) continue;
    LogEntry& entry = entries.emplace_back(pattern_);
    entry.timestamp = line.time;
    entry.insertId = fmt::format("{:012x}{}", line.offset, machine_);
    Fill(entry, std::move(line));
  }
  if (int64_t dropped = budget_.TakeDropped()) {
    entries.push_back(Notice(last_offset, last_time_,
                             fmt::format("{} lines were dropped: this replica prints more than the "
                                         "service keeps.",
                                         dropped)));
  }
  return entries;
}

// The cloud's rule: standard output is INFO, standard error is ERROR. The further lines of a message that named its
// severity, printed with it, have that one.
void FollowedConsole::Fill(LogEntry& entry, ConsoleLine line) {
  constexpr Duration kSameMessage = std::chrono::milliseconds(1);
  using api::logging::Severity;
  Saying& saying = sayings_[line.error ? 1 : 0];
  bool goes_on = saying.severity && line.time - saying.time < kSameMessage &&
                 !line.text.starts_with("Traceback ");
  if (!goes_on) saying.severity.reset();
  Severity plain = line.error ? Severity::kError : Severity::kInfo;
  saying.time = line.time;
  if (FillPayload(entry, std::move(line.text), saying.severity.value_or(plain))) {
    saying.severity = entry.severity;
  }
}

LogEntry FollowedConsole::Notice(int64_t offset, Time time, const std::string& message) const {
  LogEntry entry = pattern_;
  entry.timestamp = time;
  entry.severity = api::logging::Severity::kWarning;
  entry.insertId = fmt::format("{:012x}{}-notice", offset, machine_);
  entry.textPayload = message;
  return entry;
}

}  // namespace fireweed::ml
