#include "ml/job_quota.h"

#include "ml/replica_layout.h"

namespace fireweed::ml {

std::string EmailOf(std::string_view principal) {
  size_t colon = principal.find(':');
  return std::string(colon == principal.npos ? principal : principal.substr(colon + 1));
}

compute::QuotaDemand QuotaDemandOf(const JobRecord& job, const compute::Catalogue& catalogue,
                                   bool preemptible) {
  compute::QuotaDemand demand{job.project, EmailOf(job.creator), {}};
  const api::ml::TrainingInput& input = *job.job.trainingInput;
  int32_t gangs = GangsAtOnce(input, catalogue);
  for (const ReplicaSet& set : LayoutOf(input)) {
    std::optional<compute::MachineShape> shape = catalogue.FindShape(set.machine.type);
    if (!shape) continue;
    compute::AddNeed(demand.more, {.shape = *shape,
                                   .accelerator = set.machine.card(),
                                   .accelerators = set.machine.accelerators,
                                   .preemptible = preemptible,
                                   .count = set.count * gangs});
  }
  return demand;
}

}  // namespace fireweed::ml
