#include "logs/segment_index.h"

#include <algorithm>

namespace fireweed::logs {
namespace {

constexpr int64_t kReadAhead = 1 << 20;

// Whole frames of `bytes` go into the index, which stands at `at` of the file; returns how many bytes they take.
size_t Take(std::string_view bytes, int64_t at, SegmentIndex& index) {
  size_t taken = 0;
  while (std::optional<FrameView> frame = ReadFrame(bytes.substr(taken))) {
    if (frame->kind == FrameView::Kind::kContext) {
      auto [id, context] = ReadContext(frame->payload);
      index.contexts[id] = std::make_shared<const LogContext>(std::move(context));
      index.next_context = std::max(index.next_context, id + 1);
    } else {
      index.lines.push_back(
          {LineTime(frame->payload), static_cast<uint32_t>(at + static_cast<int64_t>(taken))});
    }
    taken += frame->size;
  }
  return taken;
}

}  // namespace

std::shared_ptr<const SegmentIndex> ExtendIndex(const File& file, int64_t size,
                                                const std::shared_ptr<const SegmentIndex>& known) {
  if (known && known->scanned >= size) return known;
  auto index = known ? std::make_shared<SegmentIndex>(*known) : std::make_shared<SegmentIndex>();
  size_t old_lines = index->lines.size();
  std::string buffer;
  while (index->scanned < size) {
    // A frame longer than the buffer: read more; never more than the largest frame at once.
    auto want = static_cast<size_t>(std::min(size - index->scanned, kReadAhead * 2));
    buffer.resize(want);
    size_t got = file.ReadAt(index->scanned, std::as_writable_bytes(std::span(buffer))).value();
    size_t taken = Take(std::string_view(buffer).substr(0, got), index->scanned, *index);
    if (taken == 0) break;
    index->scanned += static_cast<int64_t>(taken);
  }
  auto middle = index->lines.begin() + static_cast<std::ptrdiff_t>(old_lines);
  std::sort(middle, index->lines.end());
  std::inplace_merge(index->lines.begin(), middle, index->lines.end());
  return index;
}

std::shared_ptr<const SegmentIndex> IndexCache::Find(const std::string& segment) {
  std::lock_guard lock(mu_);
  auto it = by_segment_.find(segment);
  if (it == by_segment_.end()) return nullptr;
  held_.splice(held_.begin(), held_, it->second);
  return it->second->index;
}

void IndexCache::Put(const std::string& segment, std::shared_ptr<const SegmentIndex> index) {
  std::lock_guard lock(mu_);
  DropLocked(segment);
  bytes_ += index->Bytes();
  held_.push_front({segment, std::move(index)});
  by_segment_[segment] = held_.begin();
  // The newest stays even where it alone is too large: a query is using it.
  while (bytes_ > most_bytes_ && held_.size() > 1) DropLocked(std::string(held_.back().segment));
}

void IndexCache::Drop(const std::string& segment) {
  std::lock_guard lock(mu_);
  DropLocked(segment);
}

void IndexCache::DropLocked(const std::string& segment) {
  auto it = by_segment_.find(segment);
  if (it == by_segment_.end()) return;
  bytes_ -= it->second->index->Bytes();
  held_.erase(it->second);
  by_segment_.erase(it);
}

}  // namespace fireweed::logs
