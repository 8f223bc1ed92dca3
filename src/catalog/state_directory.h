// What for: the one directory that holds everything a daemon knows. Made with mode 0700, used by
//   one process at a time, marked with the format it was written in.
// Who calls: bin/ at start, one thread; the path and FreeBytes any thread.
// May block: the constructor, on the disk.
// Owns: the lock, until it is destroyed or the process ends, however it ends.
// A failure: the constructor throws. kUnavailable: another process (named by its pid) uses the
//   directory; kPrecondition: a newer program wrote it, or it is no state directory; kDenied: it is
//   not ours.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "base/disk.h"
#include "base/unique_fd.h"

namespace fireweed {

// The step from format `to - 1` to `to`. May be cut off anywhere and is then run again from the
// start.
struct StateMigration {
  int to;
  const char* what;
  std::function<void(Disk&, const std::string& directory)> apply;
};

// All steps in order; only ever appended to. Format 1 is where it began and has no step.
std::span<const StateMigration> StateMigrations();

// Makes the directory when it is missing, marks it, and brings an older one up to date. Only names
// that a cut-off start may have left are allowed in a directory without a mark. The part of
// StateDirectory that runs on any Disk.
void PrepareStateFormat(Disk& disk, const std::string& directory,
                        std::span<const StateMigration> steps);

class StateDirectory {
 public:
  StateDirectory(Disk& disk, std::string path);
  // `steps`: what to know of formats, for tests of programs older and newer than this one.
  StateDirectory(Disk& disk, std::string path, std::span<const StateMigration> steps);

  const std::string& path() const { return path_; }
  std::string Path(std::string_view name) const { return path_ + "/" + std::string(name); }

  int64_t FreeBytes() const;
  // Throws kExhausted, with both numbers in the message.
  void RequireFreeBytes(int64_t least) const;

  // The process that holds the directory, for commands that look for their daemon; 0 when nobody
  // does.
  static int HolderOf(const std::string& path);

 private:
  Disk& disk_;
  const std::string path_;
  UniqueFd lock_;
};

}  // namespace fireweed
