// Remembers the addresses of large uploads that are under way, so that a command that was killed goes on where it was.
// One small file per upload in a directory of the user. Any thread, for different uploads; may block on the disk.
// A tracker that cannot be read or written costs a fresh start, never an error.
#pragma once

#include <optional>
#include <string>

#include "cli/storage/local_tree.h"
#include "cli/storage/storage_url.h"

namespace fireweed::cli {

class UploadTracker {
 public:
  // `directory` is made when needed; empty: nothing is remembered. `daemon`: whose uploads these are.
  UploadTracker(std::string directory, std::string daemon)
      : directory_(std::move(directory)), daemon_(std::move(daemon)) {}

  // The session of an upload of the same, unchanged file to the same place.
  std::optional<std::string> Find(const std::string& path, const LocalFacts& file,
                                  const StorageUrl& to) const;
  void Keep(const std::string& path, const LocalFacts& file, const StorageUrl& to,
            const std::string& session) const;
  void Forget(const std::string& path, const StorageUrl& to) const;

 private:
  std::string FileOf(const std::string& path, const StorageUrl& to) const;

  const std::string directory_;
  const std::string daemon_;
};

}  // namespace fireweed::cli
