// Between a tuning job's record, the rows its trials report into (tuning/trial_record.h) and the search
// (tuning/trial_plan.h). For transactions; the thinking is in the search, which is pure.
#pragma once

#include <string>

#include "catalog/catalog.h"
#include "ml/job_plan.h"
#include "ml/job_record.h"

namespace fireweed::ml {

// What the search wants of the job as it stands, with at most so many gangs under way. `complete`: every ended trial's
// last figures are in.
struct TuningLook {
  TuningOrders orders;
  bool complete = true;
};
TuningLook LookAtTrials(Txn& txn, const JobRecord& job, int32_t most_gangs);

// Opens the rows of trials that `next` has begun, and closes those of trials that have ended in it.
void StoreTrials(Txn& txn, const JobRecord& next, const std::string& metric_root);

}  // namespace fireweed::ml
