// Counts objects and their bytes, for /metrics.
// Threading: any thread.
// Blocking: reads the rows of all objects, at most once a minute and for at most a fiftieth of the time.
#pragma once

#include <vector>

#include "base/metric.h"
#include "base/paced.h"
#include "catalog/catalog.h"

namespace fireweed::storage {

class StoredMetrics {
 public:
  StoredMetrics(const Catalog& catalog, const Clock& clock);
  void Collect(std::vector<Metric>& metrics);

 private:
  struct Total {
    int64_t objects = 0, bytes = 0;
  };
  struct Totals {
    Total live, noncurrent;
  };

  Paced<Totals> totals_;
};

}  // namespace fireweed::storage
