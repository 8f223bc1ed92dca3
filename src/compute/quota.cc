#include "compute/quota.h"

#include <cctype>

#include "compute/links.h"
#include "compute/notice.h"

namespace fireweed::compute {
namespace {

constexpr double kUnlimited = 1e6;      // shown for a metric without a limit
constexpr double kRounding = 1e-6;      // amounts are sums of fractions
constexpr int64_t kReplicaDiskGb = 10;  // the boot disk of a job's replica
constexpr const char* kAlwaysShown[] = {"CPUS",
                                        "DISKS_TOTAL_GB",
                                        "GPUS_ALL_REGIONS",
                                        "INSTANCES",
                                        "IN_USE_ADDRESSES",
                                        "MEMORY_GB",
                                        "NVIDIA_K80_GPUS",
                                        "NVIDIA_P100_GPUS",
                                        "NVIDIA_T4_GPUS",
                                        "NVIDIA_V100_GPUS",
                                        "PREEMPTIBLE_CPUS",
                                        "SSD_TOTAL_GB"};

// "nvidia-tesla-k80" is counted as NVIDIA_K80_GPUS, "amd-mi300x" as AMD_MI300X_GPUS.
std::string AcceleratorMetric(std::string_view type) {
  constexpr std::string_view kTesla = "nvidia-tesla-";
  std::string name = type.starts_with(kTesla) ? "nvidia-" + std::string(type.substr(kTesla.size()))
                                              : std::string(type);
  for (char& c : name) {
    c = c == '-' ? '_' : static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  }
  return name + "_GPUS";
}

void AddAccelerators(QuotaAmounts& amounts, const std::string& prefix, std::string_view type,
                     int64_t count) {
  amounts[prefix + AcceleratorMetric(type)] += static_cast<double>(count);
  amounts["GPUS_ALL_REGIONS"] += static_cast<double>(count);
}

void AddInstance(QuotaAmounts& amounts, const InstanceRecord& record, const Catalogue& catalogue) {
  const api::compute::Instance& instance = record.resource;
  amounts["INSTANCES"] += 1;
  using Status = api::compute::InstanceStatus;
  bool off = (instance.status == Status::kTerminated || instance.status == Status::kSuspended) &&
             record.want != InstanceWant::kRunning;
  if (off) return;
  std::string prefix = IsPreemptible(instance.scheduling) ? "PREEMPTIBLE_" : "";
  auto shape = catalogue.FindShape(LastWord(instance.machineType));
  amounts[prefix + "CPUS"] += shape ? shape->cpus : record.cpus;
  int64_t memory_mb = shape ? shape->memory_mb : record.memory_mb;
  amounts["MEMORY_GB"] += static_cast<double>(memory_mb) / 1024;
  for (const api::compute::AcceleratorConfig& card : instance.guestAccelerators) {
    AddAccelerators(amounts, prefix, LastWord(card.acceleratorType), card.acceleratorCount);
  }
  for (const api::compute::NetworkInterface& nic : instance.networkInterfaces) {
    amounts["IN_USE_ADDRESSES"] += static_cast<double>(nic.accessConfigs.size());
  }
}

void AddDisk(QuotaAmounts& amounts, std::string_view type, int64_t size_gb) {
  bool ssd = type == "pd-ssd" || type == "pd-balanced" || type == "pd-extreme";
  const char* metric = ssd                   ? "SSD_TOTAL_GB"
                       : type == "local-ssd" ? "LOCAL_SSD_TOTAL_GB"
                                             : "DISKS_TOTAL_GB";
  amounts[metric] += static_cast<double>(size_gb);
}

void AddAll(QuotaAmounts& amounts, const QuotaAmounts& more) {
  for (const auto& [metric, amount] : more) amounts[metric] += amount;
}

// Preemptible use counts against the plain metric unless the limits name its own.
QuotaAmounts Charged(const QuotaAmounts& usage, const QuotaAmounts& limits) {
  constexpr std::string_view kPrefix = "PREEMPTIBLE_";
  QuotaAmounts charged;
  for (const auto& [metric, amount] : usage) {
    bool own = !metric.starts_with(kPrefix) || limits.contains(metric);
    charged[own ? metric : metric.substr(kPrefix.size())] += amount;
  }
  return charged;
}

// `user`: whose limits these are; empty: the project's.
std::optional<Error> OverLimits(const QuotaAmounts& used, const QuotaAmounts& more,
                                const QuotaAmounts& limits, const std::string& user) {
  if (limits.empty()) return std::nullopt;
  QuotaAmounts held = Charged(used, limits);
  for (const auto& [metric, amount] : Charged(more, limits)) {
    auto limit = limits.find(metric);
    if (amount <= kRounding || limit == limits.end()) continue;
    if (held[metric] + amount <= limit->second + kRounding) continue;
    return identity::QuotaExceeded(metric, limit->second, user);
  }
  return std::nullopt;
}

}  // namespace

QuotaLedger::Counted& QuotaLedger::Count() {
  if (counted_) return *counted_;
  Counted& counted = counted_.emplace();
  auto charge = [&](const std::string& project, const std::string& user, const auto& add) {
    add(counted.projects[project]);
    if (!user.empty()) add(counted.users[user]);
  };
  txn_.ForEach<InstanceRecord>({}, [&](const auto& row) {
    const InstanceRecord& record = row.value;
    if (record.uncharged) return;
    charge(record.project, record.creator,
           [&](QuotaAmounts& amounts) { AddInstance(amounts, record, catalogue_); });
  });
  txn_.ForEach<DiskRecord>({}, [&](const auto& row) {
    const DiskRecord& record = row.value;
    if (record.uncharged) return;
    charge(record.project, record.creator, [&](QuotaAmounts& amounts) {
      AddDisk(amounts, LastWord(record.resource.type), record.resource.sizeGb);
    });
  });
  txn_.ForEach<QuotaHold>({}, [&](const auto& row) {
    const QuotaHold& hold = row.value;
    charge(hold.project, hold.user, [&](QuotaAmounts& amounts) { AddAll(amounts, hold.amounts); });
  });
  return counted;
}

QuotaAmounts QuotaLedger::OfProject(const std::string& project) {
  return Count().projects[project];
}

std::optional<Error> QuotaLedger::Over(const QuotaDemand& demand) {
  if (limits_.empty()) return std::nullopt;
  Counted& counted = Count();
  auto over = OverLimits(counted.projects[demand.project], demand.more,
                         limits_.OfProject(demand.project), "");
  if (over || demand.user.empty()) return over;
  return OverLimits(counted.users[demand.user], demand.more, limits_.OfUser(demand.user),
                    demand.user);
}

void QuotaLedger::Add(const QuotaDemand& demand) {
  if (!counted_) return;  // what is stored is counted with the rest
  AddAll(counted_->projects[demand.project], demand.more);
  if (!demand.user.empty()) AddAll(counted_->users[demand.user], demand.more);
}

std::vector<api::compute::Quota> ProjectQuotas::Show(const std::string& project) const {
  QuotaAmounts usage = Query(catalog_, [&](Txn& txn) {
    QuotaAmounts held = QuotaLedger(txn, catalogue_, limits_).OfProject(project);
    if (other_) AddAll(held, other_(txn, project));
    return held;
  });
  QuotaAmounts limits = limits_.OfProject(project);
  QuotaAmounts shown = Charged(usage, limits);
  for (const char* metric : kAlwaysShown) shown.try_emplace(metric, 0);
  for (const auto& [metric, limit] : limits) shown.try_emplace(metric, 0);
  std::vector<api::compute::Quota> quotas;
  for (const auto& [metric, used] : shown) {
    auto limit = limits.find(metric);
    quotas.push_back({metric, limit == limits.end() ? kUnlimited : limit->second, used});
  }
  return quotas;
}

QuotaDemand DemandOf(const InstanceRecord& instance, const Catalogue& catalogue) {
  QuotaDemand demand{instance.project, instance.creator, {}};
  AddInstance(demand.more, instance, catalogue);
  for (const api::compute::AttachedDisk& disk : instance.resource.disks) {
    if (!disk.initializeParams) continue;
    AddDisk(demand.more, LastWord(disk.initializeParams->diskType), disk.diskSizeGb.value_or(0));
  }
  return demand;
}

std::optional<Error> OverQuota(Txn& txn, const InstanceRecord& before, const InstanceRecord& after,
                               const Catalogue& catalogue, const QuotaLimits& limits) {
  if (after.uncharged) return std::nullopt;
  QuotaDemand demand{after.project, after.creator, {}};
  QuotaAmounts held;
  AddInstance(demand.more, after, catalogue);
  AddInstance(held, before, catalogue);
  for (const auto& [metric, amount] : held) demand.more[metric] -= amount;
  return QuotaLedger(txn, catalogue, limits).Over(demand);
}

std::optional<Error> OverQuota(Txn& txn, const DiskRecord& disk, int64_t before_gb,
                               const Catalogue& catalogue, const QuotaLimits& limits) {
  QuotaDemand demand{disk.project, disk.creator, {}};
  AddDisk(demand.more, LastWord(disk.resource.type), disk.resource.sizeGb - before_gb);
  return QuotaLedger(txn, catalogue, limits).Over(demand);
}

std::optional<Error> NeverFits(const QuotaDemand& demand, const QuotaLimits& limits) {
  auto over = OverLimits({}, demand.more, limits.OfProject(demand.project), "");
  if (over || demand.user.empty()) return over;
  return OverLimits({}, demand.more, limits.OfUser(demand.user), demand.user);
}

void AddNeed(QuotaAmounts& amounts, const MachineNeed& need) {
  std::string prefix = need.preemptible ? "PREEMPTIBLE_" : "";
  double count = static_cast<double>(need.count);
  amounts["INSTANCES"] += count;
  amounts[prefix + "CPUS"] += need.shape.cpus * count;
  amounts["MEMORY_GB"] += static_cast<double>(need.shape.memory_mb) / 1024 * count;
  bool own = need.shape.cards > 0;
  int64_t accelerators = own ? need.shape.cards : need.accelerators;
  if (accelerators > 0) {
    AddAccelerators(amounts, prefix, own ? need.shape.card : need.accelerator,
                    accelerators * need.count);
  }
  AddDisk(amounts, "pd-standard", kReplicaDiskGb * need.count);
}

void HoldQuota(Txn& txn, const Key& holder, const QuotaDemand& demand) {
  txn.Put(holder, QuotaHold{demand.project, demand.user, demand.more});
}

void ReleaseQuota(Txn& txn, const Key& holder) { txn.Erase<QuotaHold>(holder); }

}  // namespace fireweed::compute
