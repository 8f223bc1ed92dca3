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
    if (segment.live) {
      left_live_.push_back(segment);
    } else {
      complete_[segment.number] = segment;
    }
  }
  // A power cut may have kept both names of a segment that was being completed.
  std::erase_if(left_live_, [&](const SegmentName& name) {
    bool twice = complete_.contains(name.number);
    if (twice) (void)disk_.Remove(PathOf(name));
    return twice;
  });
  std::sort(left_live_.begin(), left_live_.end(),
            [](const SegmentName& a, const SegmentName& b) { return a.number < b.number; });
}

void LogStream::Append(std::span<const LogEntry> entries, Durability durability) {
  if (entries.empty()) return;
  std::unique_lock lock(mu_);
  Prepare(lock);
  for (const LogEntry& entry : entries) {
    uint32_t context = ContextOf(entry);
    AppendLineFrame(pending_, context, entry);
    Stretch(entry.timestamp);
  }
  pending_sync_ |= durability == Durability::kSynced;
  AwaitBatch(lock);
}

void LogStream::AppendLines(const LogEntry& pattern, std::span<const LogLine> lines,
                            Durability durability) {
  if (lines.empty()) return;
  std::unique_lock lock(mu_);
  Prepare(lock);
  uint32_t context = ContextOf(pattern);
  for (const LogLine& line : lines) {
    AppendLineFrame(pending_, context, line);
    Stretch(line.timestamp);
  }
  pending_sync_ |= durability == Durability::kSynced;
  AwaitBatch(lock);
}

// Files of its own: those of the appenders are theirs alone.
void LogStream::Sync() {
  std::unique_lock lock(mu_);
  std::set<uint64_t> numbers = unsynced_;
  std::vector<std::unique_ptr<File>> files;
  for (uint64_t number : numbers) {
    files.push_back(disk_.Open(PathOf(complete_.at(number)), OpenMode::kReadWrite).value());
  }
  if (live_) files.push_back(disk_.Open(PathOf(live_->name), OpenMode::kReadWrite).value());
  lock.unlock();
  for (const std::unique_ptr<File>& file : files) file->Sync().value();
  disk_.SyncDirectory(directory_).value();
  lock.lock();
  for (uint64_t number : numbers) unsynced_.erase(number);
}

// There is a live segment when it returns.
void LogStream::Prepare(std::unique_lock<std::mutex>& lock) {
  while (!live_ && busy_) done_.wait(lock);
  if (!live_) OpenLive();
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

// Called with the lock, the first time or after a failure. Of several that were left the last is appended to.
void LogStream::OpenLive() {
  last_context_.reset();
  while (!left_live_.empty()) {
    Live live = Reopened(left_live_.front());
    if (left_live_.size() > 1) {
      Complete(live);
    } else {
      live_ = std::move(live);
    }
    left_live_.erase(left_live_.begin());
    if (live_) return;
  }
  SegmentName name{.tag = tag_};
  if (!complete_.empty()) name.number = complete_.rbegin()->first + 1;
  Live live{.name = name};
  live.file = disk_.Open(PathOf(name), OpenMode::kCreate).value();
  live.size = live.file->Size().value();
  live_ = std::move(live);
}

LogStream::Live LogStream::Reopened(const SegmentName& name) {
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
  return live;
}

void LogStream::Stretch(Time time) {
  int64_t at = time.time_since_epoch().count();
  live_->min_time = std::min(live_->min_time, at);
  live_->max_time = std::max(live_->max_time, at);
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
  Result<> written = Write(live, bytes, sync);
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
    left_live_.push_back(live.name);
    live_.reset();
  }
  busy_ = false;
  finished_ = goal;
  done_.notify_all();
}

// Without the lock, by who has set busy_.
Result<> LogStream::Write(Live& live, std::string_view bytes, bool sync) {
  Result<> done = live.file->WriteAt(live.size, AsBytes(bytes));
  if (done.ok() && sync) done = live.file->Sync();
  if (done.ok() && sync && !live.name_synced) {
    done = disk_.SyncDirectory(directory_);
    live.name_synced = done.ok();
  }
  return done;
}

// Waits for no disk: what its name says may be more than is there after a power cut, and readers stop at the last whole
// frame.
void LogStream::Complete(Live& live) {
  SegmentName name = live.name;
  name.live = false;
  name.min_time = live.min_time;
  name.max_time = live.max_time;
  name.size = live.size;
  disk_.Rename(PathOf(live.name), PathOf(name)).value();
  complete_[name.number] = name;
  unsynced_.insert(name.number);
  last_context_.reset();
}

void LogStream::Seal() {
  std::unique_lock lock(mu_);
  while (busy_) done_.wait(lock);
  if (!live_ && !left_live_.empty()) OpenLive();
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
  unsynced_.erase(number);
}

std::vector<SegmentBounds> LogStream::Segments() {
  std::unique_lock lock(mu_);
  while (busy_ && !live_) done_.wait(lock);
  if (!live_ && !left_live_.empty() && !busy_) OpenLive();
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
