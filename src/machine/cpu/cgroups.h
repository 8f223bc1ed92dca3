// Finds the cgroup controllers of the host: in one hierarchy (v2), or in one per controller (v1 and hybrid layouts).
// Threading: immutable after construction.
// Blocking: the constructor reads a few files.
#pragma once

#include <set>
#include <string>
#include <string_view>

namespace fireweed {

class Cgroups {
 public:
  explicit Cgroups(std::string root = "/sys/fs/cgroup");

  bool unified() const { return unified_; }
  bool Has(const std::string& controller) const { return controllers_.contains(controller); }
  // The directory of the cgroup `path` ("/fireweed-x/t1", or "" for the root) that has the files of `controller`.
  std::string Directory(const std::string& controller, std::string_view path) const;

 private:
  std::string root_;
  bool unified_ = false;
  std::set<std::string> controllers_;
};

}  // namespace fireweed
