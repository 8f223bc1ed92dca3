// Counts instances by status and accelerators by use, for /metrics.
// Threading: any thread.
// Blocking: reads all instance records.
#pragma once

#include <vector>

#include "base/metric.h"
#include "catalog/catalog.h"
#include "machine/host_cards.h"

namespace fireweed::compute {

void CollectInstanceMetrics(const Catalog& catalog, const std::vector<HostCard>& host,
                            std::vector<Metric>& metrics);

}  // namespace fireweed::compute
