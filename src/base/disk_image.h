// The file system behind MemoryDisk: what is seen now, what a power cut would leave, and the
// changes between the two. Plain values without lock, fault or clock; MemoryDisk is the only user
// outside tests.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/random.h"

namespace fireweed {

// What a crash takes away.
enum class Loss {
  kNothing,   // the process died, the machine did not: all is seen, and no more durable than before
  kUnsynced,  // exactly what was synced is there
  kTorn,  // what was synced, and by lot any part of the rest: whole writes, some 512-byte sectors
          // of a write, some changes of names without those before them
};

// The bytes of one file, whatever its names.
class FileImage {
 public:
  FileImage() = default;
  explicit FileImage(std::string synced) : seen_(synced), kept_(std::move(synced)) {}

  const std::string& seen() const { return seen_; }
  void Write(int64_t offset, std::string_view bytes);
  void Truncate(int64_t size);
  void Sync();
  // A sync that failed: as on Linux, reads go on showing the bytes and no later sync will save
  // them.
  void FailSync() { unsynced_.clear(); }
  FileImage AfterCrash(Loss loss, Random& lots) const;

 private:
  struct Change {
    enum Kind { kWrite, kTruncate } kind;
    int64_t offset;  // or the new size
    std::string bytes;
  };
  static void Apply(const Change& change, std::string& content);
  static void ApplyTorn(const Change& change, std::string& content, Random& lots);

  std::string seen_;
  std::string kept_;
  std::vector<Change> unsynced_;  // applied in order to kept_ they give seen_, unless a sync failed
};

// Names of files and directories. Paths are normalised with NormalPath; "." and "/" are always
// there.
class DiskImage {
 public:
  struct Entry {
    std::shared_ptr<FileImage> file;  // null: a directory
  };

  const Entry* Find(const std::string& path) const;
  // REQUIRES (all three): the parent is a directory, and names exist or not as the word says.
  void Add(const std::string& path, Entry entry);
  void Rename(const std::string& from, const std::string& to);
  void Remove(const std::string& path);
  // Names directly in `directory` become durable. A rename is never half lost: syncing the
  // directory it left makes the new name durable as well, so that there is no moment without
  // either.
  void Sync(const std::string& directory);

  std::vector<std::string> List(const std::string& directory) const;  // base names, sorted
  int64_t TotalBytes() const;
  // A new image. After a loss, what is there is durable.
  DiskImage AfterCrash(Loss loss, Random& lots) const;

 private:
  using Names = std::map<std::string, Entry>;
  struct Change {
    std::string from;  // empty: a new name
    std::string to;    // empty: a removal
    Entry entry;
  };
  Names NamesAfterCrash(Loss loss, Random& lots) const;
  DiskImage Copy() const;

  Names seen_;
  Names kept_;
  std::vector<Change> unsynced_;
};

std::string NormalPath(const std::string& path);    // "./a//b/" is "a/b"
std::string ParentPath(const std::string& normal);  // of "a" ".", of "/a" "/"

}  // namespace fireweed
