#include "bin/offline.h"

#include <unistd.h>

#include <fmt/format.h>

#include "base/disk.h"
#include "base/ids.h"
#include "base/log.h"
#include "blob/file_blob_store.h"
#include "catalog/sqlite_catalog.h"
#include "catalog/state_directory.h"
#include "describe/json_codec.h"
#include "storage/backup.h"
#include "storage/fsck.h"

namespace fireweed {
namespace {

template <class Report>
bool Print(const Report& report) {
  fmt::print("{}\n", EncodeJson(report, Audience::kWire));
  return report.problemCount == 0;
}

}  // namespace

bool ExamineOffline(const DaemonOptions& options) {
  SystemClock clock;
  SystemRandom random;
  FdLogger log(STDERR_FILENO, clock, LogLevel::kWarning);
  std::unique_ptr<Disk> disk = MakeRealDisk();
  if (!disk->Exists(options.state + "/catalog.db").value()) {
    throw Failure(Code::kNotFound, options.state + " is no state directory.");
  }
  StateDirectory state(*disk, options.state);
  SqliteCatalog catalog({.path = state.Path("catalog.db")}, log);
  IdSource ids(clock, random);
  auto blobs = FileBlobStore::Open(*disk, state.Path("blobs"), ids).value();
  return Print(storage::Fsck(
      catalog, *blobs, [](const auto&) {}, [](int64_t) { return true; }));
}

bool RestoreOffline(const DaemonOptions& options, const std::string& backup) {
  SystemClock clock;
  FdLogger log(STDERR_FILENO, clock, LogLevel::kWarning);
  std::unique_ptr<Disk> disk = MakeRealDisk();
  StateDirectory state(*disk, options.state);
  storage::BackupWorld world{*disk, clock, log, [](const auto&) {}, [](int64_t) { return true; }};
  return Print(storage::RestoreBackup(backup, options.state, world));
}

}  // namespace fireweed
