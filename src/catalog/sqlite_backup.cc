#include "catalog/sqlite_backup.h"

#include <sqlite3.h>

namespace fireweed {
namespace {

// Ends the read transaction that keeps the copy at one moment.
class Snapshot {
 public:
  explicit Snapshot(SqliteConnection& connection) : connection_(connection) {
    connection_.Run(Sql::kBegin);
    // The moment is that of the first read.
    connection_.QueryNumber("SELECT count(*) FROM sqlite_schema");
  }
  ~Snapshot() {
    try {
      connection_.Run(Sql::kRollback);
    } catch (const Failure&) {
      // The connection goes with its transaction.
    }
  }
  Snapshot(const Snapshot&) = delete;

 private:
  SqliteConnection& connection_;
};

}  // namespace

void BackUpDatabase(SqliteConnection& from, const std::string& path) {
  SqliteConnection to(path, nullptr);
  to.Exec("PRAGMA synchronous = FULL");
  Snapshot snapshot(from);
  sqlite3_backup* backup = sqlite3_backup_init(to.db(), "main", from.db(), "main");
  if (backup == nullptr) throw SqliteFailure(to.db(), sqlite3_errcode(to.db()));
  int stepped = sqlite3_backup_step(backup, -1);
  int finished = sqlite3_backup_finish(backup);
  if (stepped != SQLITE_DONE) throw SqliteFailure(to.db(), stepped);
  if (finished != SQLITE_OK) throw SqliteFailure(to.db(), finished);
}

}  // namespace fireweed
