// What serving processes count about themselves, asked of all of them at once. Any thread; blocks until all have
// answered, `limit` at most however many of them hang.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "ml/models/serving_target.h"

namespace fireweed::ml {

// One text per target, as Prometheus reads it; empty where no process runs or it does not say in time. Wakes nobody, and
// is no use of a version.
std::vector<std::string> FetchMetrics(const std::vector<std::shared_ptr<ServingTarget>>& targets,
                                      std::chrono::milliseconds limit);

}  // namespace fireweed::ml
