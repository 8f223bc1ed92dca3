// Instances and disks of training jobs: lists leave them out unless the filter speaks of them (ADR 26).
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "compute/records.h"

namespace fireweed::compute {

inline constexpr const char* kHiddenKey = "fireweed-hidden";

// What a trainer gets between the signal and its end.
inline constexpr Duration kReplicaGrace = std::chrono::seconds(30);

inline bool IsHidden(const std::map<std::string, std::string>& labels) {
  return labels.contains(kHiddenKey);
}
inline bool AsksForHidden(std::string_view filter) {
  return filter.find(kHiddenKey) != filter.npos;
}

// Whether a job made it, which then asks what became of it. Labels are anybody's; a workload only a service can give.
inline bool IsReplica(const InstanceRecord& record) {
  return record.workload && record.resource.labels.contains("fireweed-job");
}

}  // namespace fireweed::compute
