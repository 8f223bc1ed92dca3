// A prediction asked for by the daemon itself, from a thread that may block: waits for the version's process, then for its
// answer. kUnavailable: trying again may help.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "ml/models/serving_target.h"

namespace fireweed::ml {

struct CallLimits {
  std::chrono::milliseconds wake{60'000};
  std::chrono::milliseconds answer{60'000};
};

// Why a process that is there gave no prediction, but may give it the next time.
constexpr std::string_view kRefused = "refused";

// The body of the answer: the model's own errors are JSON, too. An answer that says nothing about the instances (too
// many requests, a worker that ended, too late) is an Error with its words and the reason kRefused.
Result<std::string> CallBackend(ServingTarget& target, const Clock& clock, const std::string& body,
                                const CallLimits& limits);

}  // namespace fireweed::ml
