// What for: lets SQLite keep its files on a Disk, so that a whole catalog runs on one that forgets
//   what was not synced and can be stopped at any single call.
// Who calls: SQLite, on whatever threads use connections opened with name().
// Owns: the registration with SQLite, until it is destroyed; no connection may be open then. The
//   Disk is the caller's.
// A failure: of the Disk becomes SQLite's result code; kExhausted is SQLITE_FULL.
//
// Locks and the shared memory of the write-ahead log live in this process alone: all connections to
// a file must come from the same layer. Nothing of them outlives the last connection, as after a
// power cut.
#pragma once

#include <memory>

#include "base/disk.h"

namespace fireweed {

class SqliteDiskLayer;

class SqliteDiskVfs {
 public:
  explicit SqliteDiskVfs(Disk& disk);
  ~SqliteDiskVfs();
  SqliteDiskVfs(const SqliteDiskVfs&) = delete;
  SqliteDiskVfs& operator=(const SqliteDiskVfs&) = delete;

  const char* name() const;  // for SqliteCatalogOptions::vfs

 private:
  std::unique_ptr<SqliteDiskLayer> layer_;
};

}  // namespace fireweed
