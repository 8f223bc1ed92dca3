// Plans which processors of the host each machine runs on, so that machines spread over the host. Pure: CpuBoard reads
// and writes cgroups.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "machine/cpu/cpu_list.h"

namespace fireweed {

// A machine's processors, and how much of each one it may use (1 = all of it).
struct CpuPlacement {
  CpuSet cpus;
  double share = 1;
  friend bool operator==(const CpuPlacement&, const CpuPlacement&) = default;
};
using CpuPlacements = std::map<std::string, CpuPlacement>;  // by machine

// How much of each processor of `host` is promised. Processors outside `host` do not count.
std::map<int, double> CpuLoads(const CpuSet& host, const CpuPlacements& placements);

// The `count` least loaded processors of `host`, the lowest numbers first among equals; all of `host` when it is smaller.
CpuSet ChooseCpus(const CpuSet& host, const CpuPlacements& placements, size_t count);

// Moves machines of `own` off crowded processors, one processor at a time, as long as a move makes the load more even.
// `others` are placements that stay. Returns the machines whose processors changed, in `own` as well.
std::vector<std::string> BalanceCpus(const CpuSet& host, const CpuPlacements& others,
                                     CpuPlacements& own);

}  // namespace fireweed
