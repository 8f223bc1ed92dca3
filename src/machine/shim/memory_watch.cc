#include "machine/shim/memory_watch.h"

#include <fcntl.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <unistd.h>

#include <charconv>

#include "machine/shim/shim_order.h"
#include "machine/shim/small_file.h"

namespace fireweed {
namespace {

// No limit at all reads as "max", or as a number beyond any memory.
constexpr int64_t kNoLimit = int64_t{1} << 60;

std::string FirstHierarchy(const std::string& path, const char* file) {
  return "/sys/fs/cgroup/memory" + path + "/" + file;
}
std::string SecondHierarchy(const std::string& path, const char* file) {
  return "/sys/fs/cgroup" + path + "/" + file;
}

}  // namespace

void MemoryWatch::Start() {
  if (cgroup_path_.empty()) return;
  std::string events = SecondHierarchy(cgroup_path_, "memory.events");
  if (access(events.c_str(), R_OK) == 0) {
    fd_ = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
    if (fd_ >= 0) inotify_add_watch(fd_, events.c_str(), IN_MODIFY);
    return;
  }
  int control =
      open(FirstHierarchy(cgroup_path_, "memory.oom_control").c_str(), O_RDONLY | O_CLOEXEC);
  int orders =
      open(FirstHierarchy(cgroup_path_, "cgroup.event_control").c_str(), O_WRONLY | O_CLOEXEC);
  int event = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  std::string order = std::to_string(event) + " " + std::to_string(control);
  bool good = control >= 0 && orders >= 0 && event >= 0 &&
              write(orders, order.data(), order.size()) == static_cast<ssize_t>(order.size());
  if (good) fd_ = event;
  if (!good && event >= 0) close(event);
  if (control >= 0) close(control);
  if (orders >= 0) close(orders);
}

void MemoryWatch::Clear() {
  char buffer[4096];
  while (fd_ >= 0 && read(fd_, buffer, sizeof buffer) > 0) {
  }
}

int64_t MemoryWatch::Kills() const {
  if (cgroup_path_.empty()) return 0;
  for (const std::string& file : {FirstHierarchy(cgroup_path_, "memory.oom_control"),
                                  SecondHierarchy(cgroup_path_, "memory.events")}) {
    if (std::optional<int64_t> kills = NumberAfter(ReadSmallFile(file.c_str()), "oom_kill")) {
      return *kills;
    }
  }
  return 0;
}

std::optional<int64_t> MemoryWatch::Limit() const {
  for (const std::string& file : {FirstHierarchy(cgroup_path_, "memory.limit_in_bytes"),
                                  SecondHierarchy(cgroup_path_, "memory.max")}) {
    std::string text = ReadSmallFile(file.c_str());
    int64_t limit = 0;
    auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), limit);
    if (error == std::errc() && limit > 0 && limit < kNoLimit) return limit;
  }
  return std::nullopt;
}

}  // namespace fireweed
