// Limits on what each project and each user may hold at once, by metric ("CPUS", "MEMORY_GB", "NVIDIA_T4_GPUS"). They
// count over the whole host: regions and zones share its hardware.
//
// Threading: values; any thread.
// Blocking: nothing here blocks.
// Errors: none; a metric that is not named is not limited.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "base/error.h"

namespace fireweed::identity {

using QuotaAmounts = std::map<std::string, double>;  // by metric

// Bytes of objects in buckets, in units of 2^30.
inline constexpr const char* kStorageMetric = "STORAGE_TOTAL_GB";

struct QuotaLimits {
  QuotaAmounts project;  // of every project
  QuotaAmounts user;     // of every user, over all projects
  // By project id and by email: each metric here replaces the one above.
  std::map<std::string, QuotaAmounts> projects, users;

  QuotaAmounts OfProject(const std::string& project_id) const;
  QuotaAmounts OfUser(const std::string& email) const;
  // Whether any project or user has a limit on the metric.
  bool Limits(const std::string& metric) const;
  bool empty() const;
};

// Whether the name is a metric that something counts.
bool IsQuotaMetric(std::string_view metric);

// The refusal in Compute Engine's words. `user`: whose limit it is; empty: the project's.
Error QuotaExceeded(const std::string& metric, double limit, const std::string& user);

}  // namespace fireweed::identity
