// What for: the bare repositories on disk. A repository is whole and synced before its record is written, and its
//   record is gone before its files are: what no record names is rubbish, at any moment.
// Who calls: the repositories service, on pool threads; RemoveForgotten before the first request.
// May block: for git and the disk.
// A failure: Failure; kUnavailable where the host has no git.
#pragma once

#include <cstdint>
#include <set>
#include <string>

#include "base/process.h"

namespace fireweed::source {

class RepoStore {
 public:
  explicit RepoStore(std::string root) : root_(std::move(root)) {}

  // An empty repository under that base name.
  void Create(const std::string& directory);
  // Files of a repository whose record is gone. What cannot be removed now is removed at the next start.
  void Remove(const std::string& directory);
  // Repositories that nobody knows, and locks in the others: no git of ours runs yet that could hold one.
  void RemoveForgotten(const std::set<std::string>& known);
  int64_t SizeOf(const std::string& directory) const;

  const std::string& root() const { return root_; }

 private:
  const std::string root_;
};

// The environment every git of ours runs in: nothing of the host's settings, all that is acknowledged is synced, and
// no work is left behind in the background.
std::vector<std::string> GitEnvironment();

}  // namespace fireweed::source
