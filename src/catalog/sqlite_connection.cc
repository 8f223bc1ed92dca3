#include "catalog/sqlite_connection.h"

#include <cerrno>
#include <charconv>

#include <fmt/format.h>
#include <sqlite3.h>

namespace fireweed {
namespace {

// Longest wait for a lock that another process holds (a person with the sqlite3 program, a backup).
constexpr int kBusyMillis = 5000;
// Longest wait for readers of the log when it should start over; commits wait meanwhile.
constexpr int kReadersMillis = 50;

}  // namespace

// Blobs as keys: compared byte by byte, whatever they hold.
const char* SqlText(Sql sql) {
  switch (sql) {
    case Sql::kBegin: return "BEGIN";
    case Sql::kBeginWrite: return "BEGIN IMMEDIATE";
    case Sql::kCommit: return "COMMIT";
    case Sql::kRollback: return "ROLLBACK";
    case Sql::kSavepoint: return "SAVEPOINT body";
    case Sql::kRelease: return "RELEASE body";
    case Sql::kRollbackTo: return "ROLLBACK TO body";
    case Sql::kFind: return "SELECT version, body FROM record WHERE kind = ?1 AND key = ?2";
    case Sql::kVersion: return "SELECT version FROM record WHERE kind = ?1 AND key = ?2";
    case Sql::kInsert:
      return "INSERT INTO record (kind, key, version, body) VALUES (?1, ?2, 1, ?3) "
             "ON CONFLICT DO NOTHING";
    case Sql::kPut: return "REPLACE INTO record (kind, key, version, body) VALUES (?1, ?2, ?3, ?4)";
    case Sql::kErase: return "DELETE FROM record WHERE kind = ?1 AND key = ?2";
    case Sql::kScan:
      return "SELECT key, version, body FROM record WHERE kind = ?1 AND key >= ?2 AND key < ?4 "
             "ORDER BY key LIMIT ?3";
    case Sql::kScanToEnd:
      return "SELECT key, version, body FROM record WHERE kind = ?1 AND key >= ?2 "
             "ORDER BY key LIMIT ?3";
    case Sql::kScanBack:
      return "SELECT key, version, body FROM record WHERE kind = ?1 AND key >= ?2 AND key < ?4 "
             "ORDER BY key DESC LIMIT ?3";
    case Sql::kScanBackFromEnd:
      return "SELECT key, version, body FROM record WHERE kind = ?1 AND key >= ?2 "
             "ORDER BY key DESC LIMIT ?3";
    case Sql::kCount: break;
  }
  Abort("no such statement");
}

Failure SqliteFailure(sqlite3* db, int code) {
  int primary = code & 0xff;
  if (primary == SQLITE_FULL || (primary == SQLITE_IOERR && sqlite3_system_errno(db) == ENOSPC)) {
    return Failure(Code::kExhausted, "quotaExceeded", "The disk that holds the catalog is full.");
  }
  std::string detail = fmt::format("catalog: {} ({})", sqlite3_errstr(code), code);
  if (db != nullptr) detail = fmt::format("catalog: {} ({})", sqlite3_errmsg(db), code);
  if (primary == SQLITE_BUSY || primary == SQLITE_LOCKED)
    return Failure(Code::kUnavailable, detail);
  return Failure(Code::kInternal, detail);
}

Statement::~Statement() {
  sqlite3_reset(statement_);
  sqlite3_clear_bindings(statement_);
}

Statement& Statement::Bind(int index, std::string_view blob) {
  // An empty view may carry a null pointer, which SQLite would take for NULL.
  const char* data = blob.empty() ? "" : blob.data();
  int code = sqlite3_bind_blob64(statement_, index, data, blob.size(), SQLITE_STATIC);
  if (code != SQLITE_OK) throw SqliteFailure(db_, code);
  return *this;
}

Statement& Statement::Bind(int index, int64_t number) {
  int code = sqlite3_bind_int64(statement_, index, number);
  if (code != SQLITE_OK) throw SqliteFailure(db_, code);
  return *this;
}

bool Statement::Step() {
  int code = sqlite3_step(statement_);
  if (code == SQLITE_ROW) return true;
  if (code == SQLITE_DONE) return false;
  throw SqliteFailure(db_, code);
}

int64_t Statement::Number(int column) const { return sqlite3_column_int64(statement_, column); }

std::string Statement::Blob(int column) const {
  const char* data = static_cast<const char*>(sqlite3_column_blob(statement_, column));
  int size = sqlite3_column_bytes(statement_, column);
  return size == 0 ? std::string() : std::string(data, static_cast<size_t>(size));
}

SqliteConnection::SqliteConnection(const std::string& path, const char* vfs) {
  // One thread at a time uses a connection, so SQLite need not lock it.
  int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX;
  int code = sqlite3_open_v2(path.c_str(), &db_, flags, vfs);
  if (code != SQLITE_OK) {
    Failure failure = SqliteFailure(db_, code);
    sqlite3_close_v2(db_);
    throw failure;
  }
  sqlite3_extended_result_codes(db_, 1);
  sqlite3_busy_timeout(db_, kBusyMillis);
}

SqliteConnection::~SqliteConnection() {
  for (sqlite3_stmt* statement : statements_) sqlite3_finalize(statement);
  sqlite3_close_v2(db_);
}

void SqliteConnection::Exec(const std::string& sql) {
  int code = sqlite3_exec(db_, sql.c_str(), nullptr, nullptr, nullptr);
  if (code != SQLITE_OK) throw SqliteFailure(db_, code);
}

std::string SqliteConnection::QueryText(const std::string& sql) {
  sqlite3_stmt* prepared = nullptr;
  int code = sqlite3_prepare_v2(db_, sql.c_str(), -1, &prepared, nullptr);
  if (code != SQLITE_OK) throw SqliteFailure(db_, code);
  code = sqlite3_step(prepared);
  const unsigned char* text = code == SQLITE_ROW ? sqlite3_column_text(prepared, 0) : nullptr;
  std::string answer = text == nullptr ? "" : reinterpret_cast<const char*>(text);
  // A statement that writes commits after its last row: until then its answer is a mere intention.
  while (code == SQLITE_ROW) code = sqlite3_step(prepared);
  sqlite3_finalize(prepared);
  if (code != SQLITE_DONE) throw SqliteFailure(db_, code);
  return answer;
}

int64_t SqliteConnection::QueryNumber(const std::string& sql) {
  std::string text = QueryText(sql);
  int64_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

void SqliteConnection::Run(Sql sql) { Use(sql).Step(); }

Statement SqliteConnection::Use(Sql sql) {
  sqlite3_stmt*& statement = statements_[static_cast<size_t>(sql)];
  if (statement == nullptr) {
    int code =
        sqlite3_prepare_v3(db_, SqlText(sql), -1, SQLITE_PREPARE_PERSISTENT, &statement, nullptr);
    if (code != SQLITE_OK) throw SqliteFailure(db_, code);
  }
  return Statement(db_, statement);
}

bool SqliteConnection::in_transaction() const { return sqlite3_get_autocommit(db_) == 0; }

int64_t SqliteConnection::changed_rows() const { return sqlite3_changes64(db_); }

SqliteConnection::Checkpoint SqliteConnection::CheckpointLog(CheckpointMode mode) {
  Checkpoint result;
  bool passive = mode == CheckpointMode::kPassive;
  if (!passive) sqlite3_busy_timeout(db_, kReadersMillis);
  int code = sqlite3_wal_checkpoint_v2(
      db_, "main", passive ? SQLITE_CHECKPOINT_PASSIVE : SQLITE_CHECKPOINT_RESTART,
      &result.log_pages, &result.done_pages);
  if (!passive) sqlite3_busy_timeout(db_, kBusyMillis);
  // Busy only says that not all of it could be done now.
  if (code != SQLITE_OK && (code & 0xff) != SQLITE_BUSY) throw SqliteFailure(db_, code);
  return result;
}

}  // namespace fireweed
