// Counts jobs by state, and those that wait in the queue, for /metrics.
// Threading: any thread.
// Blocking: reads all job records, at most every few seconds.
#pragma once

#include <array>
#include <vector>

#include "api/ml/job_state.h"
#include "base/metric.h"
#include "base/paced.h"
#include "catalog/catalog.h"

namespace fireweed::ml {

class JobMetrics {
 public:
  JobMetrics(const Catalog& catalog, const Clock& clock);
  void Collect(std::vector<Metric>& metrics);

 private:
  using Counts = std::array<int64_t, kEnumNames<api::ml::JobState>.size()>;

  const Catalog& catalog_;
  Paced<Counts> by_state_;
};

}  // namespace fireweed::ml
