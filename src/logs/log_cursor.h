// One segment on the way through a query: reads its lines one after another, in the order asked for. One thread.
#pragma once

#include <optional>
#include <string>

#include "logs/log_store.h"

namespace fireweed::logs {

class LogCursor {
 public:
  // Stands before the segment: its first key is the bound that its name gives.
  LogCursor(std::string project, std::string tag, LogStream& stream, const SegmentBounds& bounds,
            TimeOrder order);

  // Where the cursor stands: the next entry is not before this. While it is not open, a bound only.
  const LogPlace& place() const { return place_; }
  bool open() const { return opened_.has_value(); }
  // Opens the segment and goes to its first line between `from` and `to` (in time, both included). False: there is none.
  bool Open(int64_t from, int64_t to);
  api::logging::LogEntry Read();
  // False at the end.
  bool Advance();

 private:
  void StandAtLine();
  std::string_view Window(uint32_t offset);

  std::string project_, tag_;
  LogStream* stream_;
  TimeOrder order_;
  LogPlace place_;
  std::optional<LogStream::Opened> opened_;
  size_t begin_ = 0, end_ = 0;  // lines of the index that are left
  std::string buffer_;          // bytes of the file from buffer_at_
  int64_t buffer_at_ = 0;
};

}  // namespace fireweed::logs
