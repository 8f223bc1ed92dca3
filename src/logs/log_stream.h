// What for: the entries of one tag (a job, or everything that belongs to none) in the order of their arrival: complete
//   segments and one that is appended to.
// Who calls: any thread. Appenders that come together share one write and one sync; nobody who only writes waits for
//   a disk, whoever else may.
// May block: yes.
// Owns: the open file of the live segment; borrows disk and cache.
// A failure: Failure (kExhausted when the disk is full); what was appended before stays, of the failed batch nothing is
//   promised. A torn tail after a crash is cut when the stream is next appended to.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "base/disk.h"
#include "logs/log_frame.h"
#include "logs/segment_index.h"
#include "logs/segment_name.h"

namespace fireweed::logs {

enum class Durability {
  kWritten,  // with the kernel: survives the end of this process
  kSynced,   // on the disk
};

struct SegmentBounds {
  uint64_t number = 0;
  bool live = false;
  int64_t min_time = 0, max_time = 0, size = 0;
};

class LogStream {
 public:
  // `segments`: what the directory has of this tag.
  LogStream(Disk& disk, IndexCache& cache, std::string directory, std::string tag,
            const std::vector<SegmentName>& segments);

  void Append(std::span<const api::logging::LogEntry> entries, Durability durability);
  void AppendLines(const api::logging::LogEntry& pattern, std::span<const LogLine> lines,
                   Durability durability);
  // What was appended so far is on the disk when it returns. Appenders go on meanwhile.
  void Sync();
  // Completes the live segment, so that no file stays open for a stream that has ended; does not wait for the disk.
  void Seal();
  // Removes a complete segment.
  void Remove(uint64_t number);

  const std::string& tag() const { return tag_; }
  // In the order of their numbers.
  std::vector<SegmentBounds> Segments();
  struct Opened {
    std::shared_ptr<const File> file;
    std::shared_ptr<const SegmentIndex> index;
  };
  // nullopt when it was removed meanwhile.
  std::optional<Opened> Open(uint64_t number);

 private:
  struct Live {
    SegmentName name;
    std::shared_ptr<File> file;
    int64_t size = 0;  // written
    int64_t min_time = INT64_MAX, max_time = INT64_MIN;
    std::map<std::string, uint32_t> contexts;
    uint32_t next_context = 0;
    bool name_synced = false;
  };

  std::string PathOf(const SegmentName& name) const { return directory_ + "/" + name.FileName(); }
  std::string CacheKey(uint64_t number) const {
    return directory_ + "/" + tag_ + "," + std::to_string(number);
  }
  void Prepare(std::unique_lock<std::mutex>& lock);
  void OpenLive();
  Live Reopened(const SegmentName& name);
  void Stretch(Time time);
  uint32_t ContextOf(const api::logging::LogEntry& entry);
  void AwaitBatch(std::unique_lock<std::mutex>& lock);
  void Lead(std::unique_lock<std::mutex>& lock);
  Result<> Write(Live& live, std::string_view bytes, bool sync);
  void Complete(Live& live);

  Disk& disk_;
  IndexCache& cache_;
  const std::string directory_, tag_;

  std::mutex mu_;
  std::condition_variable done_;
  // Guarded by mu_; the file of live_ is used by whoever set busy_.
  std::map<uint64_t, SegmentName> complete_;
  std::optional<Live> live_;
  std::vector<SegmentName> left_live_;  // of an earlier process, or after a failure: not opened yet
  std::set<uint64_t> unsynced_;         // complete segments that may not be on the disk yet
  std::string pending_;                 // frames that are not written yet
  bool pending_sync_ = false, busy_ = false;
  int64_t appended_ = 0, finished_ = 0, failed_ = 0;  // batches; failed_: the last one that failed
  std::optional<Error> error_;                        // of failed_
  api::logging::LogEntry last_;                       // whose context is last_context_
  std::optional<uint32_t> last_context_;
};

}  // namespace fireweed::logs
