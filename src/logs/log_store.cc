#include "logs/log_store.h"

#include <algorithm>
#include <charconv>
#include <queue>

#include <fmt/format.h>

#include "base/bytes.h"
#include "logs/log_cursor.h"

namespace fireweed::logs {
namespace {

using api::logging::LogEntry;

constexpr size_t kIndexBytes = 8 << 20;
constexpr std::string_view kJobLabel = "job_id";

std::string TagOf(const LogEntry& entry) {
  auto it = entry.resource.labels.find(std::string(kJobLabel));
  return it == entry.resource.labels.end() ? "" : it->second;
}

// Cursors by where they stand, the first one on top of the heap.
class Merge {
 public:
  explicit Merge(TimeOrder order) : later_{order} {}

  void Add(LogCursor cursor) {
    cursors_.push_back(std::move(cursor));
    std::push_heap(cursors_.begin(), cursors_.end(), later_);
  }
  bool empty() const { return cursors_.empty(); }
  LogCursor TakeFirst() {
    std::pop_heap(cursors_.begin(), cursors_.end(), later_);
    LogCursor first = std::move(cursors_.back());
    cursors_.pop_back();
    return first;
  }

 private:
  struct Later {
    TimeOrder order;
    bool operator()(const LogCursor& a, const LogCursor& b) const {
      return order == TimeOrder::kOldestFirst ? a.place() > b.place() : a.place() < b.place();
    }
  };
  Later later_;
  std::vector<LogCursor> cursors_;
};

}  // namespace

std::string LogPlace::Token() const {
  return Base64Encode(fmt::format("{},{},{},{},{}", time, segment, offset, project, tag),
                      Base64::kUrl);
}

std::optional<LogPlace> LogPlace::Parse(std::string_view token) {
  std::optional<std::string> text = Base64Decode(token);
  if (!text) return std::nullopt;
  std::string_view rest = *text;
  auto number = [&](auto& out) {
    size_t comma = rest.find(',');
    if (comma == rest.npos) return false;
    auto [end, error] = std::from_chars(rest.data(), rest.data() + comma, out);
    bool whole = error == std::errc() && end == rest.data() + comma;
    rest.remove_prefix(comma + 1);
    return whole;
  };
  LogPlace place;
  if (!number(place.time) || !number(place.segment) || !number(place.offset)) return std::nullopt;
  size_t comma = rest.find(',');
  if (comma == rest.npos) return std::nullopt;
  place.project = rest.substr(0, comma);
  place.tag = rest.substr(comma + 1);
  return place;
}

LogStore::LogStore(Disk& disk, std::string directory)
    : disk_(disk), directory_(std::move(directory)), cache_(kIndexBytes) {
  if (disk_.Exists(directory_).value()) return;
  disk_.MakeDirectories(directory_).value();
  disk_.SyncDirectory(directory_.substr(0, directory_.rfind('/'))).value();
}

LogStore::ProjectLogs& LogStore::Load(const std::string& project) {
  auto [it, is_new] = projects_.try_emplace(project);
  if (!is_new) return it->second;
  std::string directory = DirectoryOf(project);
  if (!disk_.Exists(directory).value()) return it->second;
  std::map<std::string, std::vector<SegmentName>> by_tag;
  for (const std::string& file : disk_.List(directory).value()) {
    if (auto name = SegmentName::Parse(file)) by_tag[name->tag].push_back(*name);
  }
  for (const auto& [tag, segments] : by_tag) {
    it->second.streams[tag] = std::make_unique<LogStream>(disk_, cache_, directory, tag, segments);
  }
  return it->second;
}

LogStream& LogStore::StreamFor(const std::string& project, const std::string& tag) {
  std::lock_guard lock(mu_);
  std::unique_ptr<LogStream>& stream = Load(project).streams[tag];
  if (!stream) {
    std::string directory = DirectoryOf(project);
    disk_.MakeDirectories(directory).value();
    disk_.SyncDirectory(directory_).value();
    stream = std::make_unique<LogStream>(disk_, cache_, directory, tag, std::vector<SegmentName>{});
  }
  return *stream;
}

std::vector<LogStream*> LogStore::StreamsOf(const std::string& project,
                                            const std::optional<std::string>& job) {
  std::lock_guard lock(mu_);
  std::vector<LogStream*> streams;
  for (auto& [tag, stream] : Load(project).streams) {
    if (!job || EqualIgnoreCase(tag, *job)) streams.push_back(stream.get());
  }
  return streams;
}

void LogStore::Append(const std::string& project, std::vector<LogEntry> entries,
                      Durability durability) {
  // Neighbours mostly belong together: runs of one tag go in one piece.
  for (size_t begin = 0; begin < entries.size();) {
    std::string tag = TagOf(entries[begin]);
    size_t end = begin + 1;
    while (end < entries.size() && TagOf(entries[end]) == tag) ++end;
    StreamFor(project, tag).Append(std::span(entries).subspan(begin, end - begin), durability);
    if (sink_) sink_(project, tag);
    begin = end;
  }
}

void LogStore::AppendLines(const std::string& project, const LogEntry& pattern,
                           std::span<const LogLine> lines, Durability durability) {
  if (lines.empty()) return;
  std::string tag = TagOf(pattern);
  StreamFor(project, tag).AppendLines(pattern, lines, durability);
  if (sink_) sink_(project, tag);
}

LogPage LogStore::Read(const LogQuery& query) {
  EntryFilter::Bounds bounds = query.filter.bounds();
  bool oldest_first = query.order == TimeOrder::kOldestFirst;
  if (query.after && oldest_first) bounds.from = std::max(bounds.from, query.after->time);
  if (query.after && !oldest_first) bounds.to = std::min(bounds.to, query.after->time);
  Merge merge(query.order);
  for (const std::string& project : query.projects) {
    for (LogStream* stream : StreamsOf(project, bounds.job)) {
      for (const SegmentBounds& segment : stream->Segments()) {
        if (segment.max_time < bounds.from || segment.min_time > bounds.to) continue;
        merge.Add(LogCursor(project, stream->tag(), *stream, segment, query.order));
      }
    }
  }
  LogPage page;
  page.last = query.after;
  size_t looked_at = 0;
  std::set<std::string>
      ids;  // of entries at the time of the last one: the same one again is shown once
  while (!merge.empty()) {
    LogCursor cursor = merge.TakeFirst();
    if (!cursor.open()) {
      if (cursor.Open(bounds.from, bounds.to)) merge.Add(std::move(cursor));
      continue;
    }
    // Of the time at which the last page ended: looked at again for the ids that it has shown.
    bool earlier_page = query.after && (oldest_first ? cursor.place() <= *query.after
                                                     : cursor.place() >= *query.after);
    if (earlier_page) {
      LogEntry entry = cursor.Read();
      ids.insert(entry.logName + " " + entry.insertId);
      if (cursor.Advance()) merge.Add(std::move(cursor));
      continue;
    }
    if (page.entries.size() == query.limit || looked_at == query.patience) {
      page.more = true;
      return page;
    }
    LogEntry entry = cursor.Read();
    if (!page.last || page.last->time != cursor.place().time) ids.clear();
    page.last = cursor.place();
    ++looked_at;
    if (query.filter.Matches(entry) && !(query.hidden && query.hidden(entry)) &&
        ids.insert(entry.logName + " " + entry.insertId).second) {
      page.entries.push_back(std::move(entry));
    }
    if (cursor.Advance()) merge.Add(std::move(cursor));
  }
  return page;
}

void LogStore::SyncJob(const std::string& project, const std::string& job) {
  for (LogStream* stream : StreamsOf(project, job)) stream->Sync();
}

void LogStore::SealJob(const std::string& project, const std::string& job) {
  for (LogStream* stream : StreamsOf(project, job)) stream->Seal();
}

int LogStore::Expire(Time before, int64_t most_bytes) {
  struct Candidate {
    int64_t max_time, size;
    LogStream* stream;
    uint64_t number;
  };
  std::vector<Candidate> all;
  int64_t total = 0;
  for (const std::string& project : disk_.List(directory_).value()) {
    for (LogStream* stream : StreamsOf(project, std::nullopt)) {
      for (const SegmentBounds& segment : stream->Segments()) {
        total += segment.size;
        if (segment.live && segment.max_time < before.time_since_epoch().count()) {
          stream->Seal();  // nobody writes to it any more: it goes the next time
        }
        if (!segment.live) {
          all.push_back({segment.max_time, segment.size, stream, segment.number});
        }
      }
    }
  }
  std::sort(all.begin(), all.end(),
            [](const Candidate& a, const Candidate& b) { return a.max_time < b.max_time; });
  int removed = 0;
  for (const Candidate& candidate : all) {
    bool old = candidate.max_time < before.time_since_epoch().count();
    if (!old && total <= most_bytes) break;
    candidate.stream->Remove(candidate.number);
    total -= candidate.size;
    ++removed;
  }
  return removed;
}

}  // namespace fireweed::logs
