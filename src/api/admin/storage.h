// The daemon's own storage: is it whole, and a copy of it. Both take long: one request starts, another asks.
#pragma once

#include <string>
#include <vector>

#include "api/admin/service.h"

namespace fireweed::api::admin {

// What an examination of rows, blobs and sums proved.
struct FsckReport {
  int64_t buckets = 0;
  int64_t objects = 0;       // versions, live and noncurrent
  int64_t bytes = 0;         // of all of them, read and summed
  int64_t smallBlobs = 0;    // kept in the catalog
  int64_t blobs = 0;         // files
  int64_t unreferenced = 0;  // files that the next sweep removes
  int64_t problemCount = 0;
  std::vector<std::string> problems;  // the first of them
};
struct Fsck {
  std::string state = "IDLE";  // IDLE, RUNNING, DONE, FAILED
  std::string message;         // why it failed
  Time started, ended;
  FsckReport report;  // so far, while it runs
};

struct BackupReport {
  std::string directory;
  int64_t blobs = 0, bytes = 0;              // in the backup
  int64_t copiedBlobs = 0, copiedBytes = 0;  // of those, copied this time
  int64_t removedBlobs = 0;                  // that nothing refers to any more
  int64_t objects = 0;                       // verified against their sums
  int64_t problemCount = 0;
  std::vector<std::string> problems;  // the first of them, as fsck tells them
};
struct Backup {
  std::string state = "IDLE";
  std::string message;
  Time started, ended;
  BackupReport report;
};
struct StartBackupBody {
  std::string directory;  // absolute, on the daemon's machine
};
struct StartBackup {
  StartBackupBody body;
};

inline constexpr Method<Empty, Fsck> kStartFsck{kService,
                                                Verb::kPost,
                                                "/fireweed/v1/storage/fsck",
                                                "fireweed.storage.fsck",
                                                "fireweed.storage.fsck",
                                                "fireweed"};
inline constexpr Method<Empty, Fsck> kGetFsck{kService,
                                              Verb::kGet,
                                              "/fireweed/v1/storage/fsck",
                                              "fireweed.storage.getFsck",
                                              "fireweed.storage.fsck",
                                              "fireweed"};
inline constexpr Method<StartBackup, Backup> kStartBackup{kService,
                                                          Verb::kPost,
                                                          "/fireweed/v1/storage/backup",
                                                          "fireweed.storage.backup",
                                                          "fireweed.storage.backup",
                                                          "fireweed"};
inline constexpr Method<Empty, Backup> kGetBackup{kService,
                                                  Verb::kGet,
                                                  "/fireweed/v1/storage/backup",
                                                  "fireweed.storage.getBackup",
                                                  "fireweed.storage.backup",
                                                  "fireweed"};

}  // namespace fireweed::api::admin

namespace fireweed {
template <>
inline constexpr std::string_view kTypeName<api::admin::FsckReport> = "FsckReport";
template <>
inline constexpr auto kFields<api::admin::FsckReport> = [](auto...) {
  return Fields{F("buckets", &api::admin::FsckReport::buckets),
                F("objects", &api::admin::FsckReport::objects),
                F("bytes", &api::admin::FsckReport::bytes),
                F("smallBlobs", &api::admin::FsckReport::smallBlobs),
                F("blobs", &api::admin::FsckReport::blobs),
                F("unreferenced", &api::admin::FsckReport::unreferenced),
                F("problemCount", &api::admin::FsckReport::problemCount),
                F("problems", &api::admin::FsckReport::problems)};
};
template <>
inline constexpr std::string_view kTypeName<api::admin::Fsck> = "Fsck";
template <>
inline constexpr auto kFields<api::admin::Fsck> = [](auto...) {
  return Fields{F("state", &api::admin::Fsck::state), F("message", &api::admin::Fsck::message),
                F("started", &api::admin::Fsck::started), F("ended", &api::admin::Fsck::ended),
                F("report", &api::admin::Fsck::report)};
};
template <>
inline constexpr std::string_view kTypeName<api::admin::BackupReport> = "BackupReport";
template <>
inline constexpr auto kFields<api::admin::BackupReport> = [](auto...) {
  return Fields{F("directory", &api::admin::BackupReport::directory),
                F("blobs", &api::admin::BackupReport::blobs),
                F("bytes", &api::admin::BackupReport::bytes),
                F("copiedBlobs", &api::admin::BackupReport::copiedBlobs),
                F("copiedBytes", &api::admin::BackupReport::copiedBytes),
                F("removedBlobs", &api::admin::BackupReport::removedBlobs),
                F("objects", &api::admin::BackupReport::objects),
                F("problemCount", &api::admin::BackupReport::problemCount),
                F("problems", &api::admin::BackupReport::problems)};
};
template <>
inline constexpr std::string_view kTypeName<api::admin::Backup> = "Backup";
template <>
inline constexpr auto kFields<api::admin::Backup> = [](auto...) {
  return Fields{F("state", &api::admin::Backup::state), F("message", &api::admin::Backup::message),
                F("started", &api::admin::Backup::started), F("ended", &api::admin::Backup::ended),
                F("report", &api::admin::Backup::report)};
};
template <>
inline constexpr std::string_view kTypeName<api::admin::StartBackupBody> = "StartBackupRequest";
template <>
inline constexpr auto kFields<api::admin::StartBackupBody> = [](auto...) {
  return Fields{F("directory", &api::admin::StartBackupBody::directory, kRequired)};
};
template <>
inline constexpr auto kFields<api::admin::StartBackup> =
    [](auto...) { return Fields{F("body", &api::admin::StartBackup::body, kBody)}; };
}  // namespace fireweed
