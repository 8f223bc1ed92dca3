// What for: the log entries of all projects, durable, read in the order of their times.
// Who calls: services on pool threads and whoever collects lines; any number at once.
// May block: yes.
// Owns: the files below its directory.
// A failure: Failure; what was acknowledged before stays.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "api/logging/entry.h"
#include "base/clock.h"
#include "base/disk.h"
#include "logs/entry_filter.h"
#include "logs/log_stream.h"

namespace fireweed::logs {

enum class TimeOrder { kOldestFirst, kNewestFirst };

// Where an entry stands among all of a query, and where the next page goes on.
struct LogPlace {
  int64_t time = 0;
  std::string project, tag;
  uint64_t segment = 0;
  uint32_t offset = 0;
  friend auto operator<=>(const LogPlace&, const LogPlace&) = default;

  std::string Token() const;
  static std::optional<LogPlace> Parse(std::string_view token);
};

struct LogQuery {
  std::vector<std::string> projects;
  const EntryFilter& filter;
  TimeOrder order = TimeOrder::kOldestFirst;
  std::optional<LogPlace> after;
  size_t limit = 50;
  // Entries looked at before a page is given out unfilled.
  size_t patience = 200000;
  std::function<bool(const api::logging::LogEntry&)> hidden;  // may be null
};

struct LogPage {
  std::vector<api::logging::LogEntry> entries;
  std::optional<LogPlace> last;  // of what was looked at: the next page begins behind it
  bool more = false;             // there may be some
};

class LogStore {
 public:
  // REQUIRES: the directory's parent is there.
  LogStore(Disk& disk, std::string directory);

  // Entries have their times and ids. Entries of a job (resource.labels.job_id) are kept together.
  void Append(const std::string& project, std::vector<api::logging::LogEntry> entries,
              Durability durability);
  // Many lines that differ from `pattern` in little.
  void AppendLines(const std::string& project, const api::logging::LogEntry& pattern,
                   std::span<const LogLine> lines, Durability durability);
  LogPage Read(const LogQuery& query);

  // Everything that was appended for this job so far is on the disk.
  void SyncJob(const std::string& project, const std::string& job);
  // No more is expected of this job.
  void SealJob(const std::string& project, const std::string& job);
  // Removes complete segments whose last entry is older than `before`, and the oldest ones until no more than
  // `most_bytes` are kept; returns how many were removed.
  int Expire(Time before, int64_t most_bytes);

  // Called after entries of a job (an empty name: of none) were written, on the appender's thread; must not block. Set
  // before the first Append.
  using Sink = std::function<void(const std::string& project, const std::string& job)>;
  void OnAppended(Sink sink) { sink_ = std::move(sink); }

 private:
  struct ProjectLogs {
    std::map<std::string, std::unique_ptr<LogStream>> streams;  // by tag
  };

  std::string DirectoryOf(const std::string& project) const { return directory_ + "/" + project; }
  // With the lock.
  ProjectLogs& Load(const std::string& project);
  LogStream& StreamFor(const std::string& project, const std::string& tag);
  std::vector<LogStream*> StreamsOf(const std::string& project,
                                    const std::optional<std::string>& job);

  Disk& disk_;
  const std::string directory_;
  IndexCache cache_;
  Sink sink_;
  std::mutex mu_;
  std::map<std::string, ProjectLogs> projects_;  // guarded by mu_; streams are never erased
};

}  // namespace fireweed::logs
