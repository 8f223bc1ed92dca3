// What for: measurements into a trial as the API shows it, and trials in the order the API shows them. Pure.
#pragma once

#include <vector>

#include "api/ml/hyperparameters.h"
#include "records/hypertune.h"

namespace fireweed::ml {

// How many measurements a trial keeps: beyond that every other one goes, never the last. Rows stay small.
inline constexpr size_t kMostMeasurements = 64;

// The trial with these measurements, which replace what it had: the last value of each step, steps ascending;
// finalMetric is that of the highest step. Without any the trial stays as it is.
void Report(api::ml::HyperparameterOutput& trial, std::vector<records::Measurement> measurements);

// Puts before a trial's measurements what was known of earlier steps: the hypertune file holds the last reports only.
void KeepEarlier(api::ml::HyperparameterOutput& trial,
                 const std::vector<api::ml::HyperparameterMetric>& earlier);

// The best first; those without a value after them, by number.
void SortTrials(std::vector<api::ml::HyperparameterOutput>& trials, api::ml::GoalType goal);

}  // namespace fireweed::ml
