// What for: decides which trials of a tuning job begin, which end before their time, and when the job is over.
// Who calls: the job controller, in the transaction that writes what it decides. Pure: no clock, no chance.
//
//                 start              machines up          trainer ended
//   (not there) ─────────► QUEUED ─────────────► RUNNING ─────────────► SUCCEEDED │ FAILED
//                             │                     │ stop (median rule): isTrialStoppedEarly
//                             └──── job cancelled ──┴──► CANCELLED │ SUCCEEDED when stopped early
//
// A trial is kept as the API shows it; its number is its place in the search, so a restart plans the same again.
#pragma once

#include <limits>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "api/ml/hyperparameters.h"
#include "api/ml/job_state.h"

namespace fireweed::ml {

// What there is of a tuning job.
struct TuningSight {
  const api::ml::HyperparameterSpec& spec;
  std::string job_id;  // the seed of a random search
  std::vector<api::ml::HyperparameterOutput> trials;
  std::vector<api::ml::HyperparameterOutput> previous;  // of the job that is resumed, if any
  std::map<std::string, std::string> errors;  // trial id to why it failed, for the job's message
  int32_t most_at_once = std::numeric_limits<int32_t>::max();  // trials that there is room for
};

struct TuningEnd {
  api::ml::JobState state = api::ml::JobState::kSucceeded;  // or kFailed
  std::string message;                                      // for errorMessage
};

struct TuningStep {
  // New trials, QUEUED, with number and parameters. Never more than maxParallelTrials or most_at_once under way.
  std::vector<api::ml::HyperparameterOutput> start;
  // Trials under way that are to end now: the median rule, or the job fails.
  std::vector<std::string> stop;
  // Nothing more is begun; the job is over when no trial is under way any more.
  std::optional<TuningEnd> end;
};

// REQUIRES: CheckTuning(spec) found nothing.
TuningStep PlanTuning(const TuningSight& sight);

// How many trials a job runs, and how many at once: 1 where nothing is said.
int32_t MaxTrials(const api::ml::HyperparameterSpec& spec);
int32_t MaxParallelTrials(const api::ml::HyperparameterSpec& spec);

// For the job's log; empty when the specification says what is done.
std::string AlgorithmNote(const api::ml::HyperparameterSpec& spec);

}  // namespace fireweed::ml
