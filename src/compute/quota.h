// Quotas: what projects and users hold, counted from the records of the whole host, against their limits.
//
// A metric counts over all regions: they share one host's hardware. Stopped and suspended instances hold their disks, but
// neither CPUs, memory nor accelerators. Instances that are not charged (a job's replicas, the service's builders) are not
// counted themselves; a job holds what its replicas need from its admission until they are gone.
//
// Threading: a ledger belongs to one transaction body.
// Blocking: as the transaction does. Without limits nothing is counted.
// Errors: OverQuota and NeverFits return the refusal, in Compute Engine's words.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "api/compute/catalogue.h"
#include "base/error.h"
#include "catalog/catalog.h"
#include "catalog/record.h"
#include "compute/catalogue.h"
#include "compute/records.h"
#include "identity/quota_limits.h"

namespace fireweed::compute {

using identity::QuotaAmounts;
using identity::QuotaLimits;

// An amount to be added, and who is charged for it.
struct QuotaDemand {
  std::string project;
  std::string user;  // email; empty: the project alone
  QuotaAmounts more;
};

// Quota held by something other than an instance or a disk: an admitted job. Key: the job's.
struct QuotaHold {
  std::string project, user;
  QuotaAmounts amounts;
};

// Amounts in use as this transaction sees them. Counts once, when first needed.
class QuotaLedger {
 public:
  // All outlive the ledger.
  QuotaLedger(Txn& txn, const Catalogue& catalogue, const QuotaLimits& limits)
      : txn_(txn), catalogue_(catalogue), limits_(limits) {}

  // Why it is too much; nullopt if it fits. A metric of which no more is demanded is not checked: a limit may have been
  // lowered below what is in use.
  std::optional<Error> Over(const QuotaDemand& demand);
  // Counts what this transaction has just stored.
  void Add(const QuotaDemand& demand);
  QuotaAmounts OfProject(const std::string& project);

 private:
  struct Counted {
    std::map<std::string, QuotaAmounts> projects, users;
  };
  Counted& Count();

  Txn& txn_;
  const Catalogue& catalogue_;
  const QuotaLimits& limits_;
  std::optional<Counted> counted_;
};

// The quotas of a project as `regions describe` and `project-info describe` show them.
class ProjectQuotas {
 public:
  // Amounts that a project holds outside compute, in a read transaction; may be empty.
  using OtherUse = std::function<QuotaAmounts(Txn&, const std::string& project)>;
  ProjectQuotas(const Catalog& catalog, const Catalogue& catalogue, QuotaLimits limits,
                OtherUse other = {})
      : catalog_(catalog),
        catalogue_(catalogue),
        limits_(std::move(limits)),
        other_(std::move(other)) {}

  const QuotaLimits& limits() const { return limits_; }
  // Metrics that are always shown, those in use and those with a limit. Blocks for one catalog read.
  std::vector<api::compute::Quota> Show(const std::string& project) const;

 private:
  const Catalog& catalog_;
  const Catalogue& catalogue_;
  const QuotaLimits limits_;
  const OtherUse other_;
};

// The demand of a new instance, with the disks that are created with it.
QuotaDemand DemandOf(const InstanceRecord& instance, const Catalogue& catalogue);
// Checks the amounts that a change adds to an existing instance.
std::optional<Error> OverQuota(Txn& txn, const InstanceRecord& before, const InstanceRecord& after,
                               const Catalogue& catalogue, const QuotaLimits& limits);
// A disk of this size, of which `before_gb` exist already.
std::optional<Error> OverQuota(Txn& txn, const DiskRecord& disk, int64_t before_gb,
                               const Catalogue& catalogue, const QuotaLimits& limits);
// A demand that exceeds a limit even when nothing else is held.
std::optional<Error> NeverFits(const QuotaDemand& demand, const QuotaLimits& limits);

// Adds one machine of this shape with its boot disk.
struct MachineNeed {
  const MachineShape& shape;
  std::string accelerator;  // "nvidia-tesla-t4"
  int64_t accelerators = 0;
  bool preemptible = false;
  int64_t count = 1;
};
void AddNeed(QuotaAmounts& amounts, const MachineNeed& need);

// Idempotent, both. The holder has checked the demand in the same transaction.
void HoldQuota(Txn& txn, const Key& holder, const QuotaDemand& demand);
void ReleaseQuota(Txn& txn, const Key& holder);

}  // namespace fireweed::compute

namespace fireweed {
template <>
inline constexpr std::string_view kTypeName<compute::QuotaHold> = "QuotaHold";
template <>
inline constexpr auto kFields<compute::QuotaHold> = [](auto...) {
  return Fields{F("project", &compute::QuotaHold::project), F("user", &compute::QuotaHold::user),
                F("amounts", &compute::QuotaHold::amounts)};
};
template <>
inline constexpr std::string_view kRecordKind<compute::QuotaHold> = "compute.quota-hold";
}  // namespace fireweed
