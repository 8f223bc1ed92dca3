// What for: files and streams into the store, checked against the server's checksum.
// Threads: any number of uploads at once. May block: yes. Memory: 8 MiB an upload at most.
// A failure: Failure; an upload of a large file can be gone on with by the next run.
#pragma once

#include <string>

#include "cli/storage/object_settings.h"
#include "cli/storage/progress.h"
#include "cli/storage/retry.h"
#include "cli/storage/upload_tracker.h"

namespace fireweed::cli {

class Uploader {
 public:
  Uploader(StorageClient& client, UploadTracker tracker, StopSignal& stop, Progress& progress)
      : client_(client), tracker_(std::move(tracker)), stop_(stop), progress_(progress) {}

  api::storage::Object UploadFile(const std::string& path, const StorageUrl& to,
                                  const ObjectSettings& settings, bool keep_mtime);
  // Until the end of `fd`; of unknown length.
  api::storage::Object UploadStream(int fd, const StorageUrl& to, const ObjectSettings& settings);

 private:
  api::storage::Object SendLarge(int fd, const std::string& path, const LocalFacts& facts,
                                 const StorageUrl& to, const UploadSpec& spec);
  struct LargeUpload;
  bool Advance(LargeUpload& upload);
  void Verify(const api::storage::Object& object, uint32_t crc);

  StorageClient& client_;
  const UploadTracker tracker_;
  StopSignal& stop_;
  Progress& progress_;
};

}  // namespace fireweed::cli
