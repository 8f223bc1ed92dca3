// A prediction asked for by the daemon itself, from a thread that may block: waits for the version's process, then for its
// answer. kUnavailable: trying again may help.
#pragma once

#include <string>

#include "base/result.h"
#include "ml/models/serving_target.h"

namespace fireweed::ml {

struct CallLimits {
  std::chrono::milliseconds wake{60'000};
  std::chrono::milliseconds answer{60'000};
};

// The body of the answer, whatever its status: the model's own errors are JSON, too.
Result<std::string> CallBackend(ServingTarget& target, const Clock& clock, const std::string& body,
                                const CallLimits& limits);

// What the version's process counts, as Prometheus reads it; empty where none runs or it does not say. Wakes nobody, and
// is no use of the version.
std::string FetchMetrics(ServingTarget& target, std::chrono::milliseconds limit);

}  // namespace fireweed::ml
