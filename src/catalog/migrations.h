// The catalog file's format: which versions there were and how an older file becomes a newer one.
#pragma once

#include <functional>
#include <span>

#include "catalog/sqlite_connection.h"

namespace fireweed {

// The step from format `to - 1` to `to`. Runs inside a transaction that also stores the new number.
struct Migration {
  int to;
  const char* what;
  std::function<void(SqliteConnection&)> apply;
};

// All steps in order, from the empty file (0) on. Only ever appended to.
std::span<const Migration> CatalogMigrations();

// Brings the file up to the newest format in `steps`; each step is whole or not at all. Throws
// kPrecondition, and changes nothing, when the file is newer than this program or no catalog at
// all.
void MigrateCatalog(SqliteConnection& connection, std::span<const Migration> steps);

}  // namespace fireweed
