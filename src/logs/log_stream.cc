#include "logs/log_stream.h"

#include <algorithm>

#include "base/bytes.h"

namespace fireweed::logs {
namespace {

constexpr int64_t kSegmentBytes = 4 << 20;

using api::logging::LogEntry;

bool SameContext(const LogEntry& a, const LogEntry& b) {
  return a.logName == b.logName && a.labels == b.labels && a.resource.type == b.resource.type &&
         a.resource.labels == b.resource.labels;
}

}  // namespace

LogStream::LogStream(Disk& disk, IndexCache& cache, std::string directory, std::string tag,
                     const std::vector<SegmentName>& segments)
    : disk_(disk), cache_(cache), directory_(std::move(directory)), tag_(std::move(tag)) {
  for (const SegmentName& segment : segments) {
    if (!segment.live) complete_[segment.number] = segment;
  }
  for (const SegmentName& segment : segments) {
    if (segment.live) left_live_ = segment;
  }
}

void LogStream::Append(std::span<const LogEntry> entries, Durability durability) {
  if (entries.empty()) return;
  std::unique_lock lock(mu_);
  while (!live_ && busy_) done_.wait(lock);
  if (!live_) OpenLive();
  Encode(entries);
  pending_sync_ |= durability == Durability::kSynced;
  AwaitBatch(lock);
}

// Complete segments were synced when they were completed.
void LogStream::Sync() {
  std::unique_lock lock(mu_);
  while (!live_ && busy_) done_.wait(lock);
  if (!live_) return;
  pending_sync_ = true;
  AwaitBatch(lock);
}

// What is pending is a batch of its own: returns once it is written. Throws when it was not.
void LogStream::AwaitBatch(std::unique_lock<std::mutex>& lock) {
  int64_t mine = ++appended_;
  while (finished_ < mine) {
    if (busy_) {
      done_.wait(lock);
    } else {
      Lead(lock);
    }
  }
  if (failed_ >= mine && error_) throw Failure(*error_);
}

// Called with the lock, the first time or after a failure.
void LogStream::OpenLive() {
  if (left_live_) {
    ReopenLive(*left_live_);
    left_live_.reset();
    return;
  }
  SegmentName name{.tag = tag_};
  if (!complete_.empty()) name.number = complete_.rbegin()->first + 1;
  Live live{.name = name};
  live.file = disk_.Open(PathOf(name), OpenMode::kCreate).value();
  live.size = live.file->Size().value();
  disk_.SyncDirectory(directory_).value();
  live_ = std::move(live);
  last_context_.reset();
}

void LogStream::ReopenLive(const SegmentName& name) {
  Live live{.name = name};
  live.file = disk_.Open(PathOf(name), OpenMode::kReadWrite).value();
  int64_t size = live.file->Size().value();
  auto index = ExtendIndex(*live.file, size, nullptr);
  if (index->scanned < size) live.file->Truncate(index->scanned).value();
  live.size = index->scanned;
  live.next_context = index->next_context;
  if (!index->lines.empty()) {
    live.min_time = index->lines.front().time;
    live.max_time = index->lines.back().time;
  }
  live_ = std::move(live);
  last_context_.reset();
}

void LogStream::Encode(std::span<const LogEntry> entries) {
  for (const LogEntry& entry : entries) {
    uint32_t context = ContextOf(entry);
    AppendLineFrame(pending_, context, entry);
    int64_t time = entry.timestamp.time_since_epoch().count();
    live_->min_time = std::min(live_->min_time, time);
    live_->max_time = std::max(live_->max_time, time);
  }
}

uint32_t LogStream::ContextOf(const LogEntry& entry) {
  if (last_context_ && SameContext(last_, entry)) return *last_context_;
  std::string json = ContextJson(entry);
  auto [it, is_new] = live_->contexts.try_emplace(json, live_->next_context);
  if (is_new) AppendContextFrame(pending_, live_->next_context++, json);
  last_.logName = entry.logName;
  last_.resource = entry.resource;
  last_.labels = entry.labels;
  last_context_ = it->second;
  return it->second;
}

// Writes everything that is pending, for all who wait, and completes a segment that is full.
void LogStream::Lead(std::unique_lock<std::mutex>& lock) {
  std::string bytes = std::move(pending_);
  pending_.clear();
  bool sync = std::exchange(pending_sync_, false);
  int64_t goal = appended_;
  Live& live = *live_;  // stays while busy_
  int64_t at = live.size;
  busy_ = true;
  lock.unlock();
  Result<> written = live.file->WriteAt(at, AsBytes(bytes));
  if (written.ok() && sync) written = live.file->Sync();
  lock.lock();
  if (written.ok()) {
    live.size = at + static_cast<int64_t>(bytes.size());
    if (live.size >= kSegmentBytes && appended_ == goal) {
      try {
        Complete(live);
        live_.reset();
      } catch (const Failure&) {
        // Stays live and is tried again after the next batch.
      }
    }
  } else {
    // What a failed sync has lost is not known: all of the batch goes, and the segment is opened anew.
    error_ = written.error();
    failed_ = goal = appended_;
    pending_.clear();
    (void)live.file->Truncate(at);
    left_live_ = live.name;
    live_.reset();
  }
  busy_ = false;
  finished_ = goal;
  done_.notify_all();
}

void LogStream::Complete(Live& live) {
  live.file->Sync().value();
  SegmentName name = live.name;
  name.live = false;
  name.min_time = live.min_time;
  name.max_time = live.max_time;
  name.size = live.size;
  disk_.Rename(PathOf(live.name), PathOf(name)).value();
  disk_.SyncDirectory(directory_).value();
  complete_[name.number] = name;
  last_context_.reset();
}

void LogStream::Seal() {
  std::unique_lock lock(mu_);
  while (busy_) done_.wait(lock);
  if (!live_ && left_live_) OpenLive();
  if (!live_ || live_->size == 0) return;
  Complete(*live_);
  live_.reset();
}

void LogStream::Remove(uint64_t number) {
  std::lock_guard lock(mu_);
  auto it = complete_.find(number);
  if (it == complete_.end()) return;
  disk_.Remove(PathOf(it->second)).value();
  cache_.Drop(CacheKey(number));
  complete_.erase(it);
}

std::vector<SegmentBounds> LogStream::Segments() {
  std::unique_lock lock(mu_);
  while (busy_ && !live_) done_.wait(lock);
  if (!live_ && left_live_ && !busy_) OpenLive();
  std::vector<SegmentBounds> all;
  for (const auto& [number, name] : complete_) {
    all.push_back({number, false, name.min_time, name.max_time, name.size});
  }
  if (live_ && live_->size > 0) {
    all.push_back({live_->name.number, true, live_->min_time, live_->max_time, live_->size});
  }
  return all;
}

std::optional<LogStream::Opened> LogStream::Open(uint64_t number) {
  std::shared_ptr<const File> file;
  int64_t size = 0;
  {
    std::lock_guard lock(mu_);
    if (live_ && live_->name.number == number) {
      file = live_->file;
      size = live_->size;
    } else if (auto it = complete_.find(number); it != complete_.end()) {
      Result<std::unique_ptr<File>> opened = disk_.Open(PathOf(it->second), OpenMode::kRead);
      if (!opened.ok()) return std::nullopt;
      file = std::move(*opened);
      size = it->second.size;
    } else {
      return std::nullopt;
    }
  }
  std::string key = CacheKey(number);
  auto index = ExtendIndex(*file, size, cache_.Find(key));
  cache_.Put(key, index);
  return Opened{std::move(file), std::move(index)};
}

}  // namespace fireweed::logs
