#include "logs/log_cursor.h"

#include <algorithm>

namespace fireweed::logs {
namespace {

constexpr size_t kWindow = 256 << 10;

}  // namespace

LogCursor::LogCursor(std::string project, std::string tag, LogStream& stream,
                     const SegmentBounds& bounds, TimeOrder order)
    : project_(std::move(project)), tag_(std::move(tag)), stream_(&stream), order_(order) {
  bool oldest_first = order == TimeOrder::kOldestFirst;
  place_ = {oldest_first ? bounds.min_time : bounds.max_time, project_, tag_, bounds.number,
            oldest_first ? 0 : UINT32_MAX};
}

bool LogCursor::Open(int64_t from, int64_t to) {
  opened_ = stream_->Open(place_.segment);
  if (!opened_) return false;
  const std::vector<LineSpot>& lines = opened_->index->lines;
  auto at_time = [&](int64_t time, uint32_t offset) {
    return std::lower_bound(lines.begin(), lines.end(), LineSpot{time, offset}) - lines.begin();
  };
  begin_ = static_cast<size_t>(at_time(from, 0));
  end_ = to == INT64_MAX ? lines.size() : static_cast<size_t>(at_time(to + 1, 0));
  if (begin_ >= end_) return false;
  StandAtLine();
  return true;
}

void LogCursor::StandAtLine() {
  size_t line = order_ == TimeOrder::kOldestFirst ? begin_ : end_ - 1;
  const LineSpot& spot = opened_->index->lines[line];
  place_.time = spot.time;
  place_.offset = spot.offset;
}

bool LogCursor::Advance() {
  if (order_ == TimeOrder::kOldestFirst) {
    ++begin_;
  } else {
    --end_;
  }
  if (begin_ >= end_) return false;
  StandAtLine();
  return true;
}

// The bytes of the file from `offset` on: at least the whole frame there.
std::string_view LogCursor::Window(uint32_t offset) {
  auto covers = [&](size_t bytes) {
    return offset >= buffer_at_ &&
           offset + bytes <= static_cast<uint64_t>(buffer_at_) + buffer_.size();
  };
  auto load = [&](size_t bytes) {
    // Newest first reads backwards: leave some of what comes before in the window.
    buffer_at_ = order_ == TimeOrder::kOldestFirst
                     ? offset
                     : std::max<int64_t>(0, int64_t{offset} - static_cast<int64_t>(kWindow / 2));
    buffer_.resize(static_cast<size_t>(offset - buffer_at_) + bytes);
    size_t got =
        opened_->file->ReadAt(buffer_at_, std::as_writable_bytes(std::span(buffer_))).value();
    buffer_.resize(got);
  };
  auto view = [&] {
    return std::string_view(buffer_).substr(static_cast<size_t>(offset - buffer_at_));
  };
  if (!covers(kFrameHead)) load(kWindow);
  if (!ReadFrame(view())) load(kFrameHead + kLargestFrame);
  return view();
}

api::logging::LogEntry LogCursor::Read() {
  std::optional<FrameView> frame = ReadFrame(Window(place_.offset));
  if (!frame || frame->kind != FrameView::Kind::kLine) {
    throw Failure(Code::kInternal, "a log segment is damaged");
  }
  auto context = opened_->index->contexts.find(LineContext(frame->payload));
  if (context == opened_->index->contexts.end()) {
    throw Failure(Code::kInternal, "a log segment is damaged");
  }
  return ReadLine(frame->payload, *context->second);
}

}  // namespace fireweed::logs
