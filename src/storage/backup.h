// What for: a copy of everything the object store knows, made while it serves, and the way back.
// Who calls: one thread, which may block for as long as copying takes.
// Owns: nothing. The directory of a backup belongs to whoever asked for it; its layout is in docs/formats/backup.md.
// A failure: Failure; the directory then still holds the backup that was there before, and the next attempt goes on
//   with what was copied.
//
// Order makes it consistent and crash-safe: drops are put off, then the catalog is copied beside the old copy, then
// the blobs it refers to, which never change; all of it is read back and compared with its sums; only then the
// new catalog takes the old one's place.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "api/admin/storage.h"
#include "base/clock.h"
#include "base/disk.h"
#include "base/log.h"
#include "blob/blob_store.h"
#include "storage/object_check.h"

namespace fireweed::storage {

struct BackupSource {
  BlobStore& blobs;
  // Writes the catalog of one moment to a new file.
  std::function<void(const std::string& path)> copy_catalog;
  std::string state;               // the state directory
  std::vector<std::string> files;  // small files in it that go along, where they are there
};

// What the copying may use, and whom it tells.
struct BackupWorld {
  Disk& disk;
  const Clock& clock;
  Logger& log;
  std::function<void(const api::admin::BackupReport&)> progress;
  Pace pace;
};

api::admin::BackupReport MakeBackup(const BackupSource& source, const std::string& directory,
                                    const BackupWorld& world);

// Fills a state directory from a backup. `state` is a prepared state directory without a catalog; one that an
// earlier attempt left half filled is gone on with. Until it is complete it holds kRestoringFile.
api::admin::BackupReport RestoreBackup(const std::string& directory, const std::string& state,
                                       const BackupWorld& world);

inline constexpr const char* kRestoringFile = "restoring";
inline constexpr const char* kBackupFile = "backup.json";

// A small file, all of it; nothing when it is not there.
std::optional<std::string> ReadSmallFile(Disk& disk, const std::string& path);

}  // namespace fireweed::storage
