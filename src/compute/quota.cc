#include "compute/quota.h"

#include <algorithm>
#include <cctype>

#include <fmt/format.h>

#include "compute/links.h"

namespace fireweed::compute {
namespace {

constexpr double kUnlimited = 1e6;  // what is shown where nothing was configured
constexpr const char* kAlwaysShown[] = {"CPUS",
                                        "DISKS_TOTAL_GB",
                                        "INSTANCES",
                                        "IN_USE_ADDRESSES",
                                        "NVIDIA_K80_GPUS",
                                        "NVIDIA_P100_GPUS",
                                        "NVIDIA_T4_GPUS",
                                        "NVIDIA_V100_GPUS",
                                        "PREEMPTIBLE_CPUS",
                                        "SSD_TOTAL_GB"};

// "nvidia-tesla-k80" is counted as NVIDIA_K80_GPUS.
std::string GpuMetric(std::string_view type) {
  for (std::string_view prefix : {"nvidia-tesla-", "nvidia-"}) {
    if (!type.starts_with(prefix)) continue;
    type.remove_prefix(prefix.size());
    break;
  }
  std::string name(type);
  for (char& c : name) c = c == '-' ? '_' : static_cast<char>(std::toupper(c));
  return "NVIDIA_" + name + "_GPUS";
}

bool IsPreemptible(const api::compute::Scheduling& rules) {
  return rules.preemptible.value_or(false) || rules.provisioningModel == "SPOT";
}

void AddMachine(Usage& usage, const InstanceRecord& record, const Catalogue& catalogue) {
  const api::compute::Instance& instance = record.resource;
  usage["INSTANCES"] += 1;
  using Status = api::compute::InstanceStatus;
  bool off = (instance.status == Status::kTerminated || instance.status == Status::kSuspended) &&
             record.want != InstanceWant::kRunning;
  if (off) return;
  std::string prefix = IsPreemptible(instance.scheduling) ? "PREEMPTIBLE_" : "";
  auto shape = catalogue.FindShape(LastWord(instance.machineType));
  usage[prefix + "CPUS"] += shape ? shape->cpus : record.cpus;
  for (const api::compute::AcceleratorConfig& card : instance.guestAccelerators) {
    usage[prefix + GpuMetric(LastWord(card.acceleratorType))] += card.acceleratorCount;
  }
  for (const api::compute::NetworkInterface& nic : instance.networkInterfaces) {
    usage["IN_USE_ADDRESSES"] += static_cast<double>(nic.accessConfigs.size());
  }
}

void AddDisk(Usage& usage, std::string_view type, int64_t size_gb) {
  bool ssd = type == "pd-ssd" || type == "pd-balanced" || type == "pd-extreme";
  usage[ssd                   ? "SSD_TOTAL_GB"
        : type == "local-ssd" ? "LOCAL_SSD_TOTAL_GB"
                              : "DISKS_TOTAL_GB"] += static_cast<double>(size_gb);
}

// Preemptible use counts against the plain metric unless it has a limit of its own.
Usage Charged(const Usage& usage, const QuotaLimits& limits) {
  constexpr std::string_view kPrefix = "PREEMPTIBLE_";
  Usage charged;
  for (const auto& [metric, amount] : usage) {
    bool own = !metric.starts_with(kPrefix) || limits.limits.contains(metric);
    charged[own ? metric : metric.substr(kPrefix.size())] += amount;
  }
  return charged;
}

}  // namespace

QuotaUsage CountUsage(Txn& txn, const std::string& project, const Catalogue& catalogue) {
  QuotaUsage usage;
  txn.ForEach<InstanceRecord>({.prefix = project + "/"}, [&](const auto& row) {
    AddMachine(usage[std::string(RegionOf(row.value.zone))], row.value, catalogue);
  });
  txn.ForEach<DiskRecord>({.prefix = project + "/"}, [&](const auto& row) {
    const DiskRecord& disk = row.value;
    AddDisk(usage[std::string(RegionOf(disk.zone))], LastWord(disk.resource.type),
            disk.resource.sizeGb);
  });
  return usage;
}

std::vector<api::compute::Quota> ShowQuotas(const Usage& usage, const QuotaLimits& limits) {
  Usage shown = Charged(usage, limits);
  for (const char* metric : kAlwaysShown) shown.try_emplace(metric, 0);
  for (const auto& [metric, limit] : limits.limits) shown.try_emplace(metric, 0);
  std::vector<api::compute::Quota> quotas;
  for (const auto& [metric, used] : shown) {
    auto limit = limits.limits.find(metric);
    quotas.push_back({metric, limit == limits.limits.end() ? kUnlimited : limit->second, used});
  }
  return quotas;
}

namespace {

struct Demand {
  std::string project, zone;
  Usage more;
};

// A metric of which no more is wanted is not looked at: a limit may have been lowered below what is in use.
std::optional<Error> Over(Txn& txn, const Demand& demand, const Catalogue& catalogue,
                          const QuotaLimits& limits) {
  if (limits.limits.empty()) return std::nullopt;
  std::string region(RegionOf(demand.zone));
  Usage used = Charged(CountUsage(txn, demand.project, catalogue)[region], limits);
  for (const auto& [metric, amount] : Charged(demand.more, limits)) {
    auto limit = limits.limits.find(metric);
    if (amount <= 0 || limit == limits.limits.end()) continue;
    if (used[metric] + amount <= limit->second) continue;
    return Error{Code::kDenied, "QUOTA_EXCEEDED",
                 fmt::format("Quota '{}' exceeded.  Limit: {:.1f} in region {}.", metric,
                             limit->second, region)};
  }
  return std::nullopt;
}

}  // namespace

std::optional<Error> OverQuota(Txn& txn, const InstanceRecord& instance, const Catalogue& catalogue,
                               const QuotaLimits& limits) {
  Usage wanted;
  AddMachine(wanted, instance, catalogue);
  for (const api::compute::AttachedDisk& disk : instance.resource.disks) {
    if (!disk.initializeParams) continue;
    AddDisk(wanted, LastWord(disk.initializeParams->diskType), disk.diskSizeGb.value_or(0));
  }
  return Over(txn, {instance.project, instance.zone, wanted}, catalogue, limits);
}

std::optional<Error> OverQuota(Txn& txn, const InstanceRecord& before, const InstanceRecord& after,
                               const Catalogue& catalogue, const QuotaLimits& limits) {
  Usage wanted, held;
  AddMachine(wanted, after, catalogue);
  AddMachine(held, before, catalogue);
  for (const auto& [metric, amount] : held) wanted[metric] -= amount;
  return Over(txn, {after.project, after.zone, wanted}, catalogue, limits);
}

std::optional<Error> OverQuota(Txn& txn, const DiskRecord& disk, int64_t before_gb,
                               const Catalogue& catalogue, const QuotaLimits& limits) {
  Usage wanted;
  AddDisk(wanted, LastWord(disk.resource.type), disk.resource.sizeGb - before_gb);
  return Over(txn, {disk.project, disk.zone, wanted}, catalogue, limits);
}

}  // namespace fireweed::compute
