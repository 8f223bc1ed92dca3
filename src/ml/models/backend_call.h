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

}  // namespace fireweed::ml
