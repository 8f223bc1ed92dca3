#include "catalog/log_checkpoints.h"

namespace fireweed {

LogCheckpoints::LogCheckpoints(SqliteConnection& writer, int start_pages,
                               std::function<std::unique_ptr<SqliteConnection>()> connect,
                               Logger& logger)
    : writer_(writer),
      start_pages_(start_pages),
      next_pages_(start_pages),
      connect_(std::move(connect)),
      logger_(logger) {
  if (connect_) background_ = std::thread([this] { RunBackground(); });
}

LogCheckpoints::~LogCheckpoints() {
  {
    std::lock_guard lock(mu_);
    stop_ = true;
    changed_.notify_all();
  }
  if (background_.joinable()) background_.join();
}

void LogCheckpoints::AfterCommit(int log_pages) {
  if (log_pages < last_pages_) next_pages_ = start_pages_;  // the log has started over
  last_pages_ = log_pages;
  bool is_long = log_pages >= start_pages_ * kLongLog;
  // However busy the machine keeps the background thread, the log does not grow without end.
  if (!OnWriter(log_pages) && !(is_long && log_pages >= next_pages_)) return;
  Copy(writer_, is_long ? SqliteConnection::CheckpointMode::kRestart
                        : SqliteConnection::CheckpointMode::kPassive);
  // A log that a reader keeps from starting over is not looked at again with every commit.
  next_pages_ = log_pages + (is_long ? start_pages_ : start_pages_ / 4 + 1);
}

// Whether the writer should copy now; wakes the background thread when it is its turn.
bool LogCheckpoints::OnWriter(int log_pages) {
  bool due = log_pages >= next_pages_;
  if (!connect_) return due;
  std::lock_guard lock(mu_);
  if (phase_ == Phase::kNearlyDone) {
    phase_ = Phase::kIdle;
    return due;
  }
  if (phase_ == Phase::kIdle && due) {
    phase_ = Phase::kCopying;
    changed_.notify_all();
  }
  return false;
}

void LogCheckpoints::Copy(SqliteConnection& connection, SqliteConnection::CheckpointMode mode) {
  try {
    connection.CheckpointLog(mode);
    ++count_;
  } catch (const Failure& failure) {
    // The log keeps what could not be copied; the next commit tries again.
    logger_.Warning("catalog checkpoint failed", {{"error", failure.what()}});
  }
}

void LogCheckpoints::RunBackground() {
  std::unique_ptr<SqliteConnection> connection;
  std::unique_lock lock(mu_);
  while (true) {
    changed_.wait(lock, [this] { return stop_ || phase_ == Phase::kCopying; });
    if (stop_) return;
    lock.unlock();
    try {
      if (!connection) connection = connect_();
      Copy(*connection, SqliteConnection::CheckpointMode::kPassive);
    } catch (const Failure& failure) {
      logger_.Warning("catalog checkpoint connection failed", {{"error", failure.what()}});
    }
    lock.lock();
    phase_ = Phase::kNearlyDone;
  }
}

}  // namespace fireweed
