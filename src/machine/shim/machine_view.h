// Shows a machine its own size: files in memory that the bundle binds over the host's /proc/cpuinfo, /proc/meminfo and
// /sys/devices/system/cpu/{online,present}. The kernel announces each read of the ones that change (fanotify), and the
// reader continues once the file is current; without such announcements the files are rewritten every second.
// When the shim ends, reads no longer wait: the files keep their last contents.
// Threading: the keeper's one thread.
// Ownership: owns its descriptors.
#pragma once

#include <cstdint>

#include "machine/shim/shim_order.h"

namespace fireweed {

// Makes the files in the present directory, which is the stage. Does nothing if the order limits nothing.
void StageView(const ShimOrder& order);

class MachineView {
 public:
  explicit MachineView(const ShimOrder& order) : order_(order) {}

  // Starts to keep the files current. REQUIRES: StageView, and the machine's cgroup exists.
  void Watch();
  // Readable when a program waits for Answer; -1 if there are no announcements.
  int fd() const { return announcements_; }
  // How long the keeper may sleep before Refresh is due; -1: for any time.
  int SleepMs() const;
  void Answer();
  void Refresh();

 private:
  // Opens a file of the view and asks for announcements of its reads; -1 if it does not exist.
  int Open(const char* name);

  const ShimOrder& order_;
  int announcements_ = -1;
  int memory_ = -1;  // descriptors of the files
  int online_ = -1;
  int present_ = -1;
  int64_t refreshed_ms_ = 0;
};

}  // namespace fireweed
