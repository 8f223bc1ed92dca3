#include "catalog/sqlite_catalog.h"

#include <optional>
#include <utility>

#include <fmt/format.h>
#include <sqlite3.h>

#include "base/disk.h"
#include "catalog/log_checkpoints.h"
#include "catalog/migrations.h"
#include "catalog/sqlite_backup.h"
#include "catalog/sqlite_txn.h"

namespace fireweed {
namespace {

// Read connections kept open when nobody uses them; each holds a page cache.
constexpr size_t kIdleReaders = 8;
// For files that are new; older ones keep theirs. A row of a quarter of a page needs a second page for
// itself alone, and rows of a KiB are common (docs/adr/0035).
constexpr const char* kPageSize = "PRAGMA page_size = 8192";
// A commit makes the other connections' caches worthless, so readers get little of them.
constexpr const char* kReaderCache = "PRAGMA cache_size = -512";   // KiB
constexpr const char* kWriterCache = "PRAGMA cache_size = -4096";  // KiB

int RememberLogPages(void* out, sqlite3*, const char*, int pages) {
  *static_cast<int*>(out) = pages;
  return SQLITE_OK;
}

// The writer's exception, told in the name of whoever was writing.
std::exception_ptr Named(std::string_view why, const Error& error) {
  return std::make_exception_ptr(
      Failure(error.code, error.reason, fmt::format("{}: {}", why, error.message)));
}

}  // namespace

// A body's place in a batch.
struct SqliteCatalog::Slot {
  std::shared_ptr<WriteJob> job;
  ChangeSet changes;
  std::exception_ptr failure;
  bool failed_itself = false;  // by its own exception, not for want of a transaction
};

SqliteCatalog::SqliteCatalog(Options options, Logger& logger)
    : options_(std::move(options)), logger_(logger) {
  // SQLite would let others read what it makes; an empty file of ours it takes for a new database.
  if (options_.vfs == nullptr) MakeRealDisk()->Open(options_.path, OpenMode::kCreate).value();
  writer_connection_ = Connect();
  writer_connection_->Exec(kPageSize);
  writer_connection_->Exec(kWriterCache);
  std::string mode = writer_connection_->QueryText("PRAGMA journal_mode = WAL");
  if (mode != "wal") {
    throw Failure(Code::kInternal,
                  "catalog: no write-ahead log on this file system (" + mode + ")");
  }
  MigrateCatalog(*writer_connection_, CatalogMigrations());
  std::function<std::unique_ptr<SqliteConnection>()> connect;
  if (options_.checkpoints == Options::Checkpoints::kBackground)
    connect = [this] { return Connect(); };
  checkpoints_ = std::make_unique<LogCheckpoints>(*writer_connection_, options_.checkpoint_pages,
                                                  std::move(connect), logger_);
  writer_ = std::thread([this] { RunWriter(); });
}

SqliteCatalog::~SqliteCatalog() {
  queue_.Close();
  writer_.join();
}

std::unique_ptr<SqliteConnection> SqliteCatalog::Connect() const {
  auto connection = std::make_unique<SqliteConnection>(options_.path, options_.vfs);
  connection->Exec("PRAGMA synchronous = FULL");
  connection->Exec("PRAGMA wal_autocheckpoint = 0");
  connection->Exec("PRAGMA temp_store = MEMORY");
  return connection;
}

SqliteCatalog::Counters SqliteCatalog::counters() const {
  return {bodies_.load(), commits_.load(), checkpoints_->count(),
          static_cast<int64_t>(queue_.size())};
}

void SqliteCatalog::OnCommit(Sink sink) {
  sinks_.With([&](auto& sinks) { sinks.push_back(std::move(sink)); });
}

void SqliteCatalog::Write(std::string_view why, const std::function<void(Txn&)>& body, Lane lane) {
  if (writer_id_.load() == std::this_thread::get_id()) {
    Abort("Catalog::Write called from a transaction body or a commit sink");
  }
  auto job = std::make_shared<WriteJob>(why, &body);
  queue_.Push(job, lane);
  job->Wait();
}

void SqliteCatalog::WriteLater(std::string_view why, std::function<void(Txn&)> body, WriteDone done,
                               Lane lane) {
  if (writer_id_.load() == std::this_thread::get_id()) {
    Abort("Catalog::WriteLater called from a transaction body or a commit sink");
  }
  queue_.Push(std::make_shared<WriteJob>(why, std::move(body), std::move(done)), lane);
}

void SqliteCatalog::CopyTo(const std::string& path) const {
  // SQLite would let others read what it makes.
  MakeRealDisk()->Open(path, OpenMode::kCreateNew).value();
  std::unique_ptr<SqliteConnection> reader = Connect();
  BackUpDatabase(*reader, path);
}

std::unique_ptr<SqliteConnection> SqliteCatalog::TakeReader() const {
  {
    std::lock_guard lock(mu_);
    if (!idle_readers_.empty()) {
      auto reader = std::move(idle_readers_.back());
      idle_readers_.pop_back();
      return reader;
    }
  }
  auto reader = Connect();
  reader->Exec("PRAGMA query_only = ON");
  reader->Exec(kReaderCache);
  return reader;
}

void SqliteCatalog::ReturnReader(std::unique_ptr<SqliteConnection> reader) const {
  std::lock_guard lock(mu_);
  if (idle_readers_.size() < kIdleReaders) idle_readers_.push_back(std::move(reader));
}

void SqliteCatalog::Read(const std::function<void(Txn&)>& body) const {
  if (writer_id_.load() == std::this_thread::get_id()) {
    Abort("Catalog::Read called from a transaction body or a commit sink");
  }
  std::unique_ptr<SqliteConnection> reader = TakeReader();
  // The snapshot is taken by the first statement, which comes after every Write that has returned.
  reader->Run(Sql::kBegin);
  try {
    SqliteTxn txn(*reader, SqliteTxn::Mode::kRead);
    body(txn);
    txn.RethrowEngineFailure();
    reader->Run(Sql::kCommit);
  } catch (...) {
    if (reader->in_transaction()) reader->Run(Sql::kRollback);
    ReturnReader(std::move(reader));
    throw;
  }
  ReturnReader(std::move(reader));
}

void SqliteCatalog::RunWriter() {
  writer_id_ = std::this_thread::get_id();
  int log_pages = 0;
  sqlite3_wal_hook(writer_connection_->db(), RememberLogPages, &log_pages);
  while (queue_.WaitForJob()) {
    RunBatch();
    checkpoints_->AfterCommit(log_pages);
  }
  sqlite3_wal_hook(writer_connection_->db(), nullptr, nullptr);
}

// Most batches hold no body that fails. So bodies are run without a way to undo one alone; when one does fail, everything is
// undone and run again with savepoints, as is what comes after, and only that one is left out.
std::vector<SqliteCatalog::Slot> SqliteCatalog::RunBodies() {
  WriteQueue::Batch share;
  std::vector<Slot> batch;
  Undo undo = Undo::kWithAll;
  std::optional<Error> broken = BeginTransaction();
  while (std::shared_ptr<WriteJob> job = queue_.Take(share)) {
    Slot& slot = batch.emplace_back(Slot{std::move(job), {}, nullptr});
    RunBody(slot, broken, undo);
    if (slot.failure && !broken && undo == Undo::kWithAll) {
      undo = Undo::kAlone;
      broken = RunAgain(batch);
    }
    // Some failures of the engine (a full disk) end the whole transaction, not the body's savepoint
    // alone.
    if (broken || !writer_connection_->in_transaction()) break;
  }
  return batch;
}

std::optional<Error> SqliteCatalog::RunAgain(std::span<Slot> batch) {
  Rollback();
  std::optional<Error> broken = BeginTransaction();
  for (Slot& slot : batch) {
    slot.failure = nullptr;
    slot.failed_itself = false;
    slot.changes = {};
    if (broken || writer_connection_->in_transaction()) RunBody(slot, broken, Undo::kAlone);
  }
  return broken;
}

void SqliteCatalog::RunBatch() {
  std::vector<Slot> batch = RunBodies();
  if (!Commit(batch) && batch.size() > 1) RunAlone(batch);
  // Asked for after the commit: a sink that comes later has nothing from before it in its hands.
  sinks_.With([&](const auto& sinks) {
    for (const Slot& slot : batch) {
      if (!slot.failure) slot.changes.Feed(sinks);
    }
  });
  for (Slot& slot : batch) slot.job->Finish(std::move(slot.failure));
}

// A group that could not be committed as one: every body that did not fail by itself gets a
// transaction of its own, so that the one that was too much for the engine fails alone.
void SqliteCatalog::RunAlone(std::span<Slot> batch) {
  for (Slot& slot : batch) {
    if (slot.failed_itself) continue;
    slot.failure = nullptr;
    std::optional<Error> broken = BeginTransaction();
    RunBody(slot, broken, Undo::kAlone);
    Commit({&slot, 1});
  }
}

std::optional<Error> SqliteCatalog::BeginTransaction() {
  try {
    writer_connection_->Run(Sql::kBeginWrite);
    return std::nullopt;
  } catch (const Failure& failure) {
    return failure.error();
  }
}

// `broken`: why there is no transaction to run it in.
void SqliteCatalog::RunBody(Slot& slot, const std::optional<Error>& broken, Undo undo) {
  if (broken) {
    slot.failure = Named(slot.job->why, *broken);
    return;
  }
  SqliteTxn txn(*writer_connection_, SqliteTxn::Mode::kWrite);
  try {
    RunGuarded(slot, txn, undo);
  } catch (...) {
    slot.failure = std::current_exception();
    slot.failed_itself = true;
    if (undo == Undo::kWithAll || !writer_connection_->in_transaction()) return;
    try {
      writer_connection_->Run(Sql::kRollbackTo);
      writer_connection_->Run(Sql::kRelease);
    } catch (const Failure&) {
      Rollback();
    }
  }
}

void SqliteCatalog::RunGuarded(Slot& slot, SqliteTxn& txn, Undo undo) {
  if (undo == Undo::kAlone) writer_connection_->Run(Sql::kSavepoint);
  slot.job->Run(txn);
  txn.RethrowEngineFailure();
  if (undo == Undo::kAlone) writer_connection_->Run(Sql::kRelease);
  slot.changes = std::move(txn.changes());
}

void SqliteCatalog::Rollback() {
  if (!writer_connection_->in_transaction()) return;
  try {
    writer_connection_->Run(Sql::kRollback);
  } catch (const Failure& failure) {
    logger_.Error("catalog rollback failed", {{"error", failure.what()}});
  }
}

// True when everything that did not fail by itself is durable.
bool SqliteCatalog::Commit(std::span<Slot> batch) {
  Error error{Code::kUnavailable, "", "the transaction was ended by another one's failure"};
  if (writer_connection_->in_transaction()) {
    try {
      writer_connection_->Run(Sql::kCommit);
      CountCommit(batch);
      return true;
    } catch (const Failure& failure) {
      error = failure.error();
      Rollback();
    }
  }
  for (Slot& slot : batch) {
    if (!slot.failure) slot.failure = Named(slot.job->why, error);
  }
  return false;
}

void SqliteCatalog::CountCommit(std::span<const Slot> batch) {
  bool changed = false;
  for (const Slot& slot : batch) {
    if (slot.failure) continue;
    ++bodies_;
    changed |= !slot.changes.empty();
  }
  if (changed) ++commits_;
}

}  // namespace fireweed
