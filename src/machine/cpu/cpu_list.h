// Lists of processors as the kernel writes them ("0-3,8"), in cpusets and below /sys/devices/system/cpu. Pure.
#pragma once

#include <set>
#include <string>
#include <string_view>

namespace fireweed {

using CpuSet = std::set<int>;

// Numbers past the largest one that a kernel supports, and text that is not a list, give an empty set.
CpuSet ParseCpuList(std::string_view text);
std::string FormatCpuList(const CpuSet& cpus);

}  // namespace fireweed
