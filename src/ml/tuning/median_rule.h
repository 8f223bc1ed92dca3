// Early stopping: a trial ends when the best it has shown by now is worse than the median of what the finished trials
// had shown, on average, by the same step. Pure.
#pragma once

#include <string>
#include <vector>

#include "api/ml/hyperparameters.h"

namespace fireweed::ml {

// Fewer finished trials than this say nothing about what is usual.
inline constexpr size_t kFewestFinished = 3;

// Ids of RUNNING trials that are to stop. Those that were stopped already are not named again.
std::vector<std::string> StoppedByMedian(const std::vector<api::ml::HyperparameterOutput>& trials,
                                         api::ml::GoalType goal);

}  // namespace fireweed::ml
