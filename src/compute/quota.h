// Quotas of a project in a region: what is used, counted from the records, and what may be used, from the configuration.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "api/compute/catalogue.h"
#include "base/error.h"
#include "catalog/catalog.h"
#include "compute/catalogue.h"
#include "compute/records.h"

namespace fireweed::compute {

// Limits by metric ("CPUS", "PREEMPTIBLE_CPUS", "NVIDIA_K80_GPUS", "DISKS_TOTAL_GB", ...); others are not limited. A
// preemptible instance counts against the PREEMPTIBLE_ metrics where those are limited, else against the plain ones.
struct QuotaLimits {
  std::map<std::string, double> limits;
};

using Usage = std::map<std::string, double>;      // by metric
using QuotaUsage = std::map<std::string, Usage>;  // by region

// What a project uses in each region. Stopped and suspended instances hold their disks, but neither CPUs nor GPUs.
QuotaUsage CountUsage(Txn& txn, const std::string& project, const Catalogue& catalogue);

// The metrics that are always shown, those that are used and those that are limited.
std::vector<api::compute::Quota> ShowQuotas(const Usage& usage, const QuotaLimits& limits);

// Why something is too much; nullopt when it is not. Without limits nothing is counted. Of a new instance, whose disks
// do not exist yet:
std::optional<Error> OverQuota(Txn& txn, const InstanceRecord& instance, const Catalogue& catalogue,
                               const QuotaLimits& limits);
// Of what a change adds to an instance that is there:
std::optional<Error> OverQuota(Txn& txn, const InstanceRecord& before, const InstanceRecord& after,
                               const Catalogue& catalogue, const QuotaLimits& limits);
// Of a disk of this size that has `before_gb` of it already:
std::optional<Error> OverQuota(Txn& txn, const DiskRecord& disk, int64_t before_gb,
                               const Catalogue& catalogue, const QuotaLimits& limits);

}  // namespace fireweed::compute
