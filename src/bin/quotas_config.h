// Settings of quotas: what each project and each user may hold at once.
#pragma once

#include <map>
#include <string>

#include "describe/type.h"

namespace fireweed {

struct QuotasConfig {
  std::map<std::string, double> project, user;
  std::map<std::string, std::map<std::string, double>> projects, users;
};
template <>
inline constexpr auto kFields<QuotasConfig> = [](auto...) {
  return Fields{
      F("project", &QuotasConfig::project, 0,
        "Limits of every project, counted over the whole host: {CPUS: 32, MEMORY_GB: 128, "
        "GPUS_ALL_REGIONS: 2, NVIDIA_T4_GPUS: 2, DISKS_TOTAL_GB: 4096, STORAGE_TOTAL_GB: 500}. "
        "Metrics that are not named are not limited."),
      F("user", &QuotasConfig::user, 0,
        "Limits of every user and service account, over all projects, by the same metrics."),
      F("projects", &QuotasConfig::projects, 0,
        "Limits of single projects, which replace those above metric by metric: {vision: "
        "{GPUS_ALL_REGIONS: 4}}."),
      F("users", &QuotasConfig::users, 0,
        "Limits of single users by email: {ann@example.com: {CPUS: 64}}.")};
};

}  // namespace fireweed
