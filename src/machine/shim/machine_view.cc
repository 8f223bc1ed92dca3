#include "machine/shim/machine_view.h"

#include <fcntl.h>
#include <sys/fanotify.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <string>

#include <time.h>

#include "machine/shim/complain.h"
#include "machine/shim/small_file.h"
#include "machine/shim/view_text.h"

namespace fireweed {
namespace {

constexpr int kPollMs = 1000;
// A program that reads in a loop must not keep the host busy with cgroups.
constexpr int64_t kCurrentMs = 10;

int64_t NowMs() {
  timespec now{};
  // NOHOUSE(clock): the shim is a program of its own, without a Clock
  clock_gettime(CLOCK_MONOTONIC, &now);
  return int64_t{now.tv_sec} * 1000 + now.tv_nsec / 1'000'000;
}

// A file of the machine's cgroup, where cgroup v1 or v2 has it; empty if neither does.
std::string CgroupFile(const ShimOrder& order, const char* controller, const char* v1,
                       const char* unified) {
  std::string root = "/sys/fs/cgroup";
  std::string text = ReadSmallFile((root + order.cgroup_path + "/" + unified).c_str());
  if (!text.empty()) return text;
  return ReadSmallFile((root + "/" + controller + order.cgroup_path + "/" + v1).c_str());
}

std::string CurrentMeminfo(const ShimOrder& order) {
  std::string used = CgroupFile(order, "memory", "memory.usage_in_bytes", "memory.current");
  std::string stat = CgroupFile(order, "memory", "memory.stat", "memory.stat");
  MemoryUse use{.limit = order.view_memory, .stat = stat};
  std::from_chars(used.data(), used.data() + used.size(), use.used);
  return MeminfoText(ReadSmallFile("/proc/meminfo"), use);
}

void WriteView(const char* name, const std::string& text) {
  int fd = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0444);
  if (fd < 0 || write(fd, text.data(), text.size()) != static_cast<ssize_t>(text.size())) {
    Fail("writing the view of the host");
  }
  close(fd);
}

// Readers that were let in before see lines of the old text or of the new one, never an empty file.
void Rewrite(int fd, const std::string& text) {
  if (fd < 0 || text.empty()) return;
  if (pwrite(fd, text.data(), text.size(), 0) < 0 ||
      ftruncate(fd, static_cast<off_t>(text.size())) != 0) {
    return;  // what the file shows stays
  }
}

}  // namespace

void StageView(const ShimOrder& order) {
  if (order.view_cpus == 0 && order.view_memory == 0) return;
  if (mkdir("view", 0711) != 0 ||
      mount("fireweed-view", "view", "tmpfs", MS_NOSUID | MS_NODEV | MS_NOEXEC,
            "size=4m,mode=0711") != 0) {
    Fail("mounting the view of the host");
  }
  if (order.view_cpus > 0) {
    int cpus = static_cast<int>(order.view_cpus);
    WriteView("view/cpuinfo", CpuinfoText(ReadSmallFile("/proc/cpuinfo"), cpus));
    for (const char* name : {"view/online", "view/present"}) {
      WriteView(name, order.view_cpu_list + "\n");
    }
  }
  if (order.view_memory > 0) WriteView("view/meminfo", CurrentMeminfo(order));
}

int MachineView::Open(const char* name) {
  std::string path = order_.stage + "/view/" + name;
  int fd = open(path.c_str(), O_WRONLY | O_CLOEXEC);
  if (fd < 0 || announcements_ < 0) return fd;
  if (fanotify_mark(announcements_, FAN_MARK_ADD, FAN_ACCESS_PERM, AT_FDCWD, path.c_str()) != 0) {
    close(announcements_);  // lets in whoever waits
    announcements_ = -1;
  }
  return fd;
}

void MachineView::Watch() {
  if (!order_.container || (order_.view_cpus == 0 && order_.view_memory == 0)) return;
  announcements_ =
      fanotify_init(FAN_CLASS_CONTENT | FAN_CLOEXEC | FAN_NONBLOCK, O_RDONLY | O_CLOEXEC);
  memory_ = Open("meminfo");
  online_ = Open("online");
  present_ = Open("present");
  Refresh();
}

int MachineView::SleepMs() const {
  bool views = memory_ >= 0 || online_ >= 0;
  return views && announcements_ < 0 ? kPollMs : -1;
}

void MachineView::Answer() {
  alignas(fanotify_event_metadata) char buffer[4096];
  ssize_t n = read(announcements_, buffer, sizeof buffer);
  if (n > 0 && NowMs() - refreshed_ms_ >= kCurrentMs) Refresh();
  auto* event = reinterpret_cast<fanotify_event_metadata*>(buffer);
  for (; n > 0 && FAN_EVENT_OK(event, n); event = FAN_EVENT_NEXT(event, n)) {
    if (event->fd < 0) continue;
    fanotify_response answer{.fd = event->fd, .response = FAN_ALLOW};
    // Fails if the reader was killed meanwhile.
    [[maybe_unused]] ssize_t answered = write(announcements_, &answer, sizeof answer);
    close(event->fd);
  }
}

void MachineView::Refresh() {
  refreshed_ms_ = NowMs();
  if (memory_ >= 0) Rewrite(memory_, CurrentMeminfo(order_));
  if (online_ < 0) return;
  // The daemon moves machines between processors.
  std::string list = CgroupFile(order_, "cpuset", "cpuset.cpus", "cpuset.cpus");
  if (list.size() <= 1) return;
  Rewrite(online_, list);
  Rewrite(present_, list);
}

}  // namespace fireweed
