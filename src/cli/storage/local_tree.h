// Files of this machine: what a directory or a pattern holds. May block: on the disk. No threads of its own.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace fireweed::cli {

struct LocalFile {
  std::string path;
  std::string relative;  // to the walked directory
  int64_t size = 0;
  int64_t mtime = 0;  // seconds
};

struct LocalFacts {
  bool exists = false, directory = false;
  int64_t size = 0, mtime = 0;
  int64_t mtime_nanos = 0, inode = 0;
};

LocalFacts LookAt(const std::string& path);
// Every file below, directories in order of their names; links to files are files, links to directories and what is
// neither are passed over and told to `skipped`. `visit` returns false to stop.
void WalkDirectory(const std::string& directory, const std::function<bool(const LocalFile&)>& visit,
                   const std::function<void(const std::string& path)>& skipped);
// What fits the pattern, sorted. Names that begin with '.' need a '.' in the pattern, as in a shell.
std::vector<std::string> ExpandLocal(const std::string& pattern);

}  // namespace fireweed::cli
