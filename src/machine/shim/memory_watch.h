// Watches a machine's cgroup for processes that the kernel killed because the machine's memory was used up.
// Threading: one thread.
// Blocking: never blocks.
// Errors: a host without such a cgroup counts 0 and never notifies.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace fireweed {

class MemoryWatch {
 public:
  // `cgroup_path` as in the bundle; empty: there is none.
  explicit MemoryWatch(std::string cgroup_path) : cgroup_path_(std::move(cgroup_path)) {}

  // Asks the kernel for notifications. REQUIRES: the cgroup exists.
  void Start();
  // To be polled for reading; -1: none. The count may change a moment after the notification.
  int fd() const { return fd_; }
  // Consumes the notification.
  void Clear();

  // Processes killed so far.
  int64_t Kills() const;
  // The limit in bytes; nullopt: none.
  std::optional<int64_t> Limit() const;

 private:
  std::string cgroup_path_;
  int fd_ = -1;
};

}  // namespace fireweed
