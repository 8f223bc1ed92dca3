// The catalog in one SQLite file (write-ahead log, full sync). One writer thread commits in groups:
// all bodies that wait, a savepoint each, one sync, then the feed, then everybody is told. Readers
// have connections of their own and never wait for the writer. The destructor finishes what is
// queued.
//
// A full disk: Write throws kExhausted and nothing of it is stored; reads go on; writes work again
// as soon as there is room. A failed checkpoint is tried again with later commits and loses
// nothing.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "base/guarded.h"
#include "base/log.h"
#include "catalog/catalog.h"
#include "catalog/sqlite_connection.h"
#include "catalog/write_queue.h"

namespace fireweed {

class LogCheckpoints;
class SqliteTxn;

struct SqliteCatalogOptions {
  std::string path;
  const char* vfs = nullptr;  // a registered file layer; null is the system's own
  // Pages in the write-ahead log that start a checkpoint.
  int checkpoint_pages = 1000;
  // kBackground copies the log beside the writer. kInline does it on the writer thread after
  // everybody is told, so that a recorded run repeats call by call.
  enum class Checkpoints { kBackground, kInline } checkpoints = Checkpoints::kBackground;
};

class SqliteCatalog final : public Catalog {
 public:
  using Options = SqliteCatalogOptions;

  // Opens or creates the file and brings it up to date. Throws kPrecondition when a newer program
  // wrote it.
  explicit SqliteCatalog(Options options, Logger& logger);
  ~SqliteCatalog() override;

  void Write(std::string_view why, const std::function<void(Txn&)>& body,
             Lane lane = Lane::kControl) override;
  void WriteLater(std::string_view why, std::function<void(Txn&)> body, WriteDone done,
                  Lane lane = Lane::kControl) override;
  void Read(const std::function<void(Txn&)>& body) const override;
  void OnCommit(Sink sink) override;

  // The whole catalog as it is at one moment, as a new file that is a catalog itself; others go on meanwhile. Any
  // thread; blocks for as long as copying takes. Durable but for its name. Throws Failure.
  void CopyTo(const std::string& path) const;

  struct Counters {
    int64_t bodies = 0;   // that were committed
    int64_t commits = 0;  // each with one sync of the log
    int64_t checkpoints = 0;
    int64_t waiting = 0;  // bodies in the queue now
  };
  Counters counters() const;

 private:
  struct Slot;

  std::unique_ptr<SqliteConnection> Connect() const;
  std::unique_ptr<SqliteConnection> TakeReader() const;
  void ReturnReader(std::unique_ptr<SqliteConnection> reader) const;

  void RunWriter();
  // Whether a body can be undone alone: a savepoint costs a copy of every page that the body changes.
  enum class Undo { kAlone, kWithAll };

  void RunBatch();
  std::vector<Slot> RunBodies();
  std::optional<Error> RunAgain(std::span<Slot> batch);
  void RunAlone(std::span<Slot> batch);
  std::optional<Error> BeginTransaction();
  void RunBody(Slot& slot, const std::optional<Error>& broken, Undo undo);
  void RunGuarded(Slot& slot, SqliteTxn& txn, Undo undo);
  bool Commit(std::span<Slot> batch);
  void CountCommit(std::span<const Slot> batch);
  void Rollback();

  // Constant after construction.
  const Options options_;
  Logger& logger_;
  std::unique_ptr<SqliteConnection> writer_connection_;  // the writer thread's alone
  std::unique_ptr<LogCheckpoints> checkpoints_;

  WriteQueue queue_;
  Guarded<std::vector<Sink>> sinks_;
  std::atomic<int64_t> bodies_{0}, commits_{0};
  mutable std::mutex mu_;
  mutable std::vector<std::unique_ptr<SqliteConnection>> idle_readers_;  // guarded by mu_
  std::atomic<std::thread::id> writer_id_{};
  std::thread writer_;
};

}  // namespace fireweed
