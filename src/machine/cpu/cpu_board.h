// Assigns processors of the host to machines by cpusets: the least loaded ones at a start, and again when a stop leaves
// the load uneven. The kernel's cpusets are the record, so a restarted daemon continues where the last one ended, and
// the daemons of one host see each other's machines.
// Threading: any number of threads.
// Blocking: reads and writes small cgroup files.
// Errors: none; a cpuset that cannot be written stays as it was.
#pragma once

#include <string>
#include <string_view>

#include "base/guarded.h"
#include "machine/cpu/cgroups.h"
#include "machine/cpu/cpu_placement.h"

namespace fireweed {

class CpuBoard {
 public:
  // `parent` is the cgroup of this daemon's machines, "/fireweed-ID"; `host` are the processors to assign.
  CpuBoard(const Cgroups& cgroups, std::string parent, CpuSet host);

  // Processors for a machine that is about to start: `count` of them, of which it may use `cpus` in all. Empty if the
  // host has no cpusets.
  CpuSet Take(const std::string& id, size_t count, double cpus);
  // The machine has stopped, or did not start: balances those that run. Idempotent.
  void Release(const std::string& id);

 private:
  // What the cpusets below a cgroup are.
  CpuPlacements Scan(const std::string& parent) const;
  // Machines of the other daemons of the host.
  CpuPlacements Others() const;

  const Cgroups& cgroups_;
  const std::string parent_;
  const CpuSet host_;
  // Of machines that may not have a cpuset yet; once they have one, that counts.
  Guarded<CpuPlacements> taken_;
};

// The processors that this process may use.
CpuSet OwnCpus();

}  // namespace fireweed
