// When the write-ahead log is copied into the main file, so that neither it nor a commit grows
// long.
//
// The bulk of the copying is done beside the writer, on a thread and a connection of its own: it
// takes no lock that a commit needs. A log that is never caught up with cannot start over, so once
// the copy has nearly reached its end the writer copies the last pages itself between two commits,
// a matter of a page or two and one sync.
#pragma once

#include <atomic>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>

#include "base/log.h"
#include "catalog/sqlite_connection.h"

namespace fireweed {

class LogCheckpoints {
 public:
  // `connect` makes the background connection; empty means that all is done on the writer's thread.
  LogCheckpoints(SqliteConnection& writer, int start_pages,
                 std::function<std::unique_ptr<SqliteConnection>()> connect, Logger& logger);
  ~LogCheckpoints();

  // The writer's thread, after everybody was told: `log_pages` is the length of the log now.
  void AfterCommit(int log_pages);
  int64_t count() const { return count_; }

 private:
  // A log this many times longer than the start mark is worth waiting for readers, so that it stops
  // growing.
  static constexpr int kLongLog = 16;

  bool OnWriter(int log_pages);
  void RunBackground();
  void Copy(SqliteConnection& connection, SqliteConnection::CheckpointMode mode);

  SqliteConnection& writer_;
  const int start_pages_;
  int next_pages_;      // the writer's thread alone
  int last_pages_ = 0;  // the writer's thread alone
  const std::function<std::unique_ptr<SqliteConnection>()> connect_;
  Logger& logger_;

  std::atomic<int64_t> count_{0};
  std::mutex mu_;
  std::condition_variable changed_;
  enum class Phase { kIdle, kCopying, kNearlyDone } phase_ = Phase::kIdle;  // guarded by mu_
  bool stop_ = false;                                                       // guarded by mu_
  std::thread background_;
};

}  // namespace fireweed
