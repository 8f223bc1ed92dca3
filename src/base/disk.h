// What for: every change this project makes to files that matter goes through here, so that a test
//   can stand in a disk that forgets what was not synced (MemoryDisk) and stop a run at any call.
// Who calls: blob store, catalog (through its SQLite file layer), state directory; any thread. A
//   File is used by one thread at a time, except ReadAt, which any number may call at once.
// May block: yes, all calls.
// Who owns: the caller owns the File; closing is its destructor.
// A failure: nothing is known of the bytes since the last successful Sync. ENOSPC is kExhausted.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace fireweed {

class File {
 public:
  virtual ~File() = default;
  // Reads up to out.size() bytes; fewer only at the end of the file.
  virtual Result<size_t> ReadAt(int64_t offset, std::span<std::byte> out) const = 0;
  // Writes all of it or fails.
  virtual Result<> WriteAt(int64_t offset, std::span<const std::byte> bytes) = 0;
  virtual Result<> Truncate(int64_t size) = 0;
  // When it returns, contents and size survive a power cut. The *name* needs Disk::SyncDirectory as
  // well. When it fails, what was written since the last sync is lost for good, though reads may
  // still show it: a second Sync that succeeds says nothing about those bytes. Truncate and write
  // them again.
  virtual Result<> Sync() = 0;
  virtual Result<int64_t> Size() const = 0;
  // The descriptor for sendfile, or -1 where there is none.
  virtual int fd() const { return -1; }
};

enum class OpenMode {
  kRead,       // must exist
  kReadWrite,  // must exist
  kCreate,     // made when missing
  kCreateNew,  // fails with kExists when there
};

class Disk {
 public:
  virtual ~Disk() = default;
  virtual Result<std::unique_ptr<File>> Open(const std::string& path, OpenMode mode) = 0;
  // Files only; replaces `to`. After a crash before SyncDirectory either name or both may be there,
  // never none.
  virtual Result<> Rename(const std::string& from, const std::string& to) = 0;
  virtual Result<> Remove(const std::string& path) = 0;  // a file; those who have it open go on
  // Existing is success; a file in the way is not. Each new directory is a name in its parent, to
  // be synced there.
  virtual Result<> MakeDirectories(const std::string& path) = 0;
  // Makes the names in a directory durable: creations, renames, removals. When it fails it may be
  // called again.
  virtual Result<> SyncDirectory(const std::string& path) = 0;
  // Sorted base names.
  virtual Result<std::vector<std::string>> List(const std::string& directory) = 0;
  virtual Result<bool> Exists(const std::string& path) = 0;
  virtual Result<int64_t> FreeBytes(const std::string& path) = 0;
};

// The operating system's file system. New files get mode 0600, new directories 0700.
std::unique_ptr<Disk> MakeRealDisk();

}  // namespace fireweed
