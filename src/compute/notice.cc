#include "compute/notice.h"

#include <algorithm>

namespace fireweed::compute {

bool IsPreemptible(const api::compute::Scheduling& rules) {
  return rules.preemptible.value_or(false) || rules.provisioningModel == "SPOT";
}

Notice MakeNotice(NoticeCause cause, Time now) {
  bool announced = cause == NoticeCause::kTermination || cause == NoticeCause::kMigration;
  return {.cause = cause, .given = now, .due = announced ? now + kMaintenanceLead : now};
}

NoticeCause MaintenanceCause(const api::compute::Scheduling& rules) {
  if (IsPreemptible(rules)) return NoticeCause::kPreemption;
  return rules.onHostMaintenance == "TERMINATE" ? NoticeCause::kTermination
                                                : NoticeCause::kMigration;
}

std::string_view NoticeVerb(NoticeCause cause) {
  switch (cause) {
    case NoticeCause::kPreemption: return "compute.instances.preempted";
    case NoticeCause::kTermination: return "compute.instances.terminateOnHostMaintenance";
    case NoticeCause::kMigration: return "compute.instances.migrateOnHostMaintenance";
    case NoticeCause::kTimeUp: return "compute.instances.scheduledTermination";
  }
  return "";
}

std::string_view MaintenanceEvent(const std::optional<Notice>& notice) {
  if (!notice) return "NONE";
  if (notice->cause == NoticeCause::kMigration) return "MIGRATE_ON_HOST_MAINTENANCE";
  if (notice->cause == NoticeCause::kTermination) return "TERMINATE_ON_HOST_MAINTENANCE";
  return "NONE";
}

Duration GraceOf(const std::optional<Notice>& notice, Time now) {
  if (!notice || !notice->taken || notice->cause != NoticeCause::kPreemption) return kStopGrace;
  return std::clamp(notice->due + kPreemptionGrace - now, Duration(0), kPreemptionGrace);
}

std::optional<Fate> FateOf(const api::compute::Scheduling& rules, const MachineRun& run,
                           const PreemptionRule& preemption) {
  std::optional<Fate> fate;
  auto earlier = [&](Time at, NoticeCause cause) {
    if (!fate || at < fate->at) fate = {at, cause};
  };
  if (IsPreemptible(rules)) {
    if (rules.provisioningModel != "SPOT") {
      earlier(run.started + kLongestPreemptible, NoticeCause::kPreemption);
    }
    if (auto after = PreemptAfter(preemption, run.machine_id, run.boot)) {
      earlier(run.started + *after, NoticeCause::kPreemption);
    }
  }
  if (rules.maxRunDuration) {
    Duration longest = std::chrono::seconds(rules.maxRunDuration->seconds) +
                       std::chrono::nanoseconds(rules.maxRunDuration->nanos);
    earlier(run.started + longest, NoticeCause::kTimeUp);
  }
  if (!rules.terminationTime.empty()) {
    if (auto at = ParseTime(rules.terminationTime)) earlier(*at, NoticeCause::kTimeUp);
  }
  return fate;
}

}  // namespace fireweed::compute
