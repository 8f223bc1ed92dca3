// Texts of the files that show a machine its own size instead of the host's. Pure, and free of the rest of the tree:
// fireweed-shim writes them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace fireweed {

// What a memory cgroup reports.
struct MemoryUse {
  int64_t limit = 0;      // bytes
  int64_t used = 0;       // bytes, caches included
  std::string_view stat;  // text of memory.stat, of cgroup v1 or v2
};

// /proc/cpuinfo with the first `cpus` processors of the host's; the host's text if that has fewer.
std::string CpuinfoText(std::string_view host, int cpus);

// /proc/meminfo with the lines of the host's and the machine's values. There is no swap.
std::string MeminfoText(std::string_view host, const MemoryUse& use);

}  // namespace fireweed
