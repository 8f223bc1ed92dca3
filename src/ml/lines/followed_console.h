// One console that is followed: where it lies, whose it is, how far it was read. One thread; reads may block.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "api/logging/entry.h"
#include "base/unique_fd.h"
#include "logs/log_line.h"
#include "ml/job_log.h"
#include "ml/lines/console_parser.h"
#include "ml/lines/line_budget.h"

namespace fireweed::ml {

class FollowedConsole {
 public:
  FollowedConsole(std::string machine, std::string path, LineSource source, int64_t offset,
                  const LineLimits& limits)
      : machine_(std::move(machine)),
        path_(std::move(path)),
        source_(std::move(source)),
        pattern_(EntryOf(source_)),
        parser_(offset),
        budget_(limits, offset) {}

  struct Piece {
    std::vector<logs::LogLine> lines;
    bool more = false;  // there was as much as one piece may hold
  };
  // The next piece. A console that is not there yet has nothing.
  Piece Read();
  // What was read since has not been stored: it will be read again.
  void Unread(int64_t safe_offset) { parser_ = ConsoleParser(safe_offset); }
  // Nothing will be added until the machine boots again; called when Read gives no more.
  std::vector<logs::LogLine> Finish();
  void Close() { fd_.reset(); }

  const LineSource& source() const { return source_; }
  // What all its lines have in common.
  const api::logging::LogEntry& pattern() const { return pattern_; }
  int64_t safe_offset() const { return parser_.safe_offset(); }

 private:
  std::vector<logs::LogLine> Lines(std::vector<ConsoleLine> found);
  logs::LogLine Notice(int64_t offset, Time time, std::string message) const;
  void Fill(logs::LogLine& line, ConsoleLine found);
  bool SkipGap();

  const std::string machine_, path_;
  const LineSource source_;
  const api::logging::LogEntry pattern_;
  ConsoleParser parser_;
  LineBudget budget_;
  UniqueFd fd_;
  std::string buffer_;
  Time last_time_{};
  // The severity that a stream's last message said, and when.
  struct Saying {
    std::optional<api::logging::Severity> severity;
    Time time{};
  };
  Saying sayings_[2];
  int64_t lost_ = 0;  // bytes, not told of yet
};

}  // namespace fireweed::ml
