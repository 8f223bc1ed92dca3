// A database copied as it is at one moment, beside those who write it.
#pragma once

#include <string>

#include "catalog/sqlite_connection.h"

namespace fireweed {

// Copies what `from` sees to a new file, durable but for its name when this returns. Blocks for as long as copying
// takes; writers go on, only their log cannot start over meanwhile. Throws Failure; then the file is to be removed.
void BackUpDatabase(SqliteConnection& from, const std::string& path);

}  // namespace fireweed
