#include "catalog/migrations.h"

#include <vector>

#include <fmt/format.h>

namespace fireweed {
namespace {

constexpr int64_t kApplicationId = 0x46574354;  // "FWCT": marks the file as ours

void CreateRecordTable(SqliteConnection& connection) {
  connection.Exec(
      "CREATE TABLE record (kind BLOB NOT NULL, key BLOB NOT NULL, version INTEGER NOT NULL, "
      "body BLOB NOT NULL, PRIMARY KEY (kind, key)) WITHOUT ROWID");
  connection.Exec(fmt::format("PRAGMA application_id = {}", kApplicationId));
}

void CheckFile(SqliteConnection& connection, int64_t format, int64_t newest) {
  int64_t application = connection.QueryNumber("PRAGMA application_id");
  bool empty = connection.QueryNumber("SELECT count(*) FROM sqlite_schema") == 0;
  if (application != kApplicationId && !(format == 0 && empty)) {
    throw Failure(Code::kPrecondition, "The catalog file is a database of another program.");
  }
  if (format > newest) {
    throw Failure(
        Code::kPrecondition,
        fmt::format("The catalog was written by a newer Fireweed (format {}; this program "
                    "knows formats up to {}). Start that version or a later one.",
                    format, newest));
  }
}

}  // namespace

std::span<const Migration> CatalogMigrations() {
  static const std::vector<Migration> steps = {
      {1, "one table of records", CreateRecordTable},
  };
  return steps;
}

void MigrateCatalog(SqliteConnection& connection, std::span<const Migration> steps) {
  int64_t format = connection.QueryNumber("PRAGMA user_version");
  CheckFile(connection, format, steps.empty() ? 0 : steps.back().to);
  for (const Migration& step : steps) {
    if (step.to <= format) continue;
    connection.Exec("BEGIN IMMEDIATE");
    try {
      step.apply(connection);
      connection.Exec(fmt::format("PRAGMA user_version = {}", step.to));
      connection.Exec("COMMIT");
    } catch (...) {
      if (connection.in_transaction()) connection.Exec("ROLLBACK");
      throw;
    }
  }
}

}  // namespace fireweed
