// The part of a job's plan that is about one gang (job_plan.h): its replicas made, watched, started again, stopped. Pure.
#pragma once

#include <vector>

#include "ml/job_plan.h"

namespace fireweed::ml {

struct GangView {
  const JobView& job;
  size_t index = 0;  // in the record
  const std::vector<ReplicaSight>& sights;
};

// Takes the next step of a gang that is wanted; sets its `end` when it is over.
void PlanGang(const GangView& view, JobPlan& plan);
// Brings down what runs; its phase is kEnded once nothing does.
void StopGang(const GangView& view, JobPlan& plan);

// "The replica master 0 exited with a non-zero status of 1."
std::string EndMessage(const Replica& replica, const ReplicaEnd& end);

}  // namespace fireweed::ml
