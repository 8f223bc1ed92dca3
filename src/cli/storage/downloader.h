// What for: objects into files and streams, checked against their checksum.
// Threads: any number of downloads at once, to different files. May block: yes. Memory: a buffer each.
// A file appears whole under its name or not at all: the bytes gather in ".NAME.GENERATION.part" beside it, and a
// download that was cut off goes on from there as long as the object is still the same generation.
// A failure: Failure; a part whose checksum is wrong is removed.
#pragma once

#include <string>

#include "cli/storage/progress.h"
#include "cli/storage/retry.h"
#include "client/storage_client.h"

namespace fireweed::cli {

class Downloader {
 public:
  Downloader(StorageClient& client, StopSignal& stop, Progress& progress)
      : client_(client), stop_(stop), progress_(progress) {}

  // Directories on the way are made. `keep_mtime`: the time that gsutil or we kept in the metadata is set.
  void DownloadFile(const api::storage::Object& object, const std::string& path, bool keep_mtime);
  // As it is written; the checksum can only be told at the end.
  void DownloadStream(const api::storage::Object& object, int fd, const std::string& what);
  // Part of an object, unchecked.
  void DownloadRange(const api::storage::Object& object, int64_t offset,
                     std::optional<int64_t> length, int fd);

 private:
  void FetchDecoded(const api::storage::Object& object, int fd, const std::string& what);
  void Fetch(const api::storage::Object& object, int fd, const std::string& what, int64_t have,
             uint32_t crc);

  StorageClient& client_;
  StopSignal& stop_;
  Progress& progress_;
};

}  // namespace fireweed::cli
