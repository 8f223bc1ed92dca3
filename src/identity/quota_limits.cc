#include "identity/quota_limits.h"

#include <algorithm>

#include <fmt/format.h>

namespace fireweed::identity {
namespace {

constexpr std::string_view kMetrics[] = {
    "CPUS",           "PREEMPTIBLE_CPUS",   "MEMORY_GB",    "GPUS_ALL_REGIONS", "INSTANCES",
    "DISKS_TOTAL_GB", "LOCAL_SSD_TOTAL_GB", "SSD_TOTAL_GB", "IN_USE_ADDRESSES", kStorageMetric};

QuotaAmounts Merged(const QuotaAmounts& every, const std::map<std::string, QuotaAmounts>& named,
                    const std::string& name) {
  auto own = named.find(name);
  if (own == named.end()) return every;
  QuotaAmounts merged = own->second;
  merged.insert(every.begin(), every.end());
  return merged;
}

bool AnyLimits(const std::map<std::string, QuotaAmounts>& named, const std::string& metric) {
  return std::ranges::any_of(named, [&](const auto& one) { return one.second.contains(metric); });
}

}  // namespace

QuotaAmounts QuotaLimits::OfProject(const std::string& project_id) const {
  return Merged(project, projects, project_id);
}

QuotaAmounts QuotaLimits::OfUser(const std::string& email) const {
  return Merged(user, users, email);
}

bool QuotaLimits::Limits(const std::string& metric) const {
  return project.contains(metric) || user.contains(metric) || AnyLimits(projects, metric) ||
         AnyLimits(users, metric);
}

bool QuotaLimits::empty() const {
  return project.empty() && user.empty() && projects.empty() && users.empty();
}

bool IsQuotaMetric(std::string_view metric) {
  bool accelerator =
      metric.ends_with("_GPUS") &&
      metric.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") == std::string_view::npos;
  return accelerator || std::ranges::find(kMetrics, metric) != std::end(kMetrics);
}

Error QuotaExceeded(const std::string& metric, double limit, const std::string& user) {
  std::string whose = user.empty() ? "" : fmt::format(" for user {}", user);
  return {Code::kDenied, "QUOTA_EXCEEDED",
          fmt::format("Quota '{}' exceeded{}.  Limit: {:.1f} globally.", metric, whose, limit)};
}

}  // namespace fireweed::identity
