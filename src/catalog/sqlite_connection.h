// One SQLite connection with its prepared statements. Used by one thread at a time; every call may
// block on the disk and throws Failure. kExhausted means that the disk is full.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/error.h"

struct sqlite3;
struct sqlite3_stmt;

namespace fireweed {

// Every statement the catalog runs more than once.
enum class Sql {
  kBegin,
  kBeginWrite,
  kCommit,
  kRollback,
  kSavepoint,
  kRelease,
  kRollbackTo,
  kFind,
  kVersion,
  kInsert,
  kPut,
  kErase,
  kScan,
  kScanToEnd,
  kScanBack,
  kScanBackFromEnd,
  kCount,
};

const char* SqlText(Sql sql);

// A prepared statement in use; its destructor makes it ready for the next user. Text and blobs that
// are bound must stay where they are until then.
class Statement {
 public:
  Statement(sqlite3* db, sqlite3_stmt* statement) : db_(db), statement_(statement) {}
  ~Statement();
  Statement(const Statement&) = delete;
  Statement& operator=(const Statement&) = delete;

  Statement& Bind(int index, std::string_view blob);
  Statement& Bind(int index, int64_t number);
  bool Step();  // true: there is a row
  int64_t Number(int column) const;
  std::string Blob(int column) const;

 private:
  sqlite3* db_;
  sqlite3_stmt* statement_;
};

class SqliteConnection {
 public:
  // `vfs`: the name of a registered file layer, or null for the system's own. Creates the file when
  // missing.
  SqliteConnection(const std::string& path, const char* vfs);
  ~SqliteConnection();
  SqliteConnection(const SqliteConnection&) = delete;
  SqliteConnection& operator=(const SqliteConnection&) = delete;

  void Exec(const std::string& sql);
  // The first column of the first row; empty or 0 when there is none.
  std::string QueryText(const std::string& sql);
  int64_t QueryNumber(const std::string& sql);
  void Run(Sql sql);       // a statement without parameters and rows
  Statement Use(Sql sql);  // a statement to bind and step
  bool in_transaction() const;
  int64_t changed_rows() const;  // by the last statement that writes

  struct Checkpoint {
    int log_pages = 0;   // in the write-ahead log
    int done_pages = 0;  // of those, copied into the main file
  };
  // kPassive waits for no one; kRestart waits for readers, for a moment, so that the log can be
  // written from its beginning again.
  enum class CheckpointMode { kPassive, kRestart };
  Checkpoint CheckpointLog(CheckpointMode mode);

  sqlite3* db() const { return db_; }

 private:
  sqlite3* db_ = nullptr;
  std::array<sqlite3_stmt*, static_cast<size_t>(Sql::kCount)> statements_{};
};

// What a SQLite result code means to a caller.
Failure SqliteFailure(sqlite3* db, int code);

}  // namespace fireweed
