// What everything else in the daemon stands on: settings, clock, disk, state, catalog and blobs. Made first, ends last.
// A failure to open any of it is thrown and says what is in the way.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "base/disk.h"
#include "base/guarded.h"
#include "base/ids.h"
#include "base/log.h"
#include "bin/daemon.h"
#include "bin/ports.h"
#include "blob/file_blob_store.h"
#include "catalog/sqlite_catalog.h"
#include "catalog/state_directory.h"

namespace fireweed {

struct Ground {
  explicit Ground(DaemonOptions given);

  // A small secret or name that is made once and kept in the state directory.
  std::string Keep(const std::string& name, const std::function<std::string()>& make);

  // At most one line per minute.
  void LogFullDisk(int64_t free);

  DaemonOptions options;
  SystemClock clock;
  SystemRandom random;
  FdLogger log;
  std::unique_ptr<Disk> disk;
  StateDirectory state;
  std::string daemon_id;
  ListeningSockets sockets;
  IdSource ids;
  SqliteCatalog catalog;
  Guarded<Time> full_logged;  // when the log last named a full disk
  std::unique_ptr<FileBlobStore> blobs;
};

std::string ReadIfThere(Disk& disk, const std::string& path);

}  // namespace fireweed
