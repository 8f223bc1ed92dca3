#include "ml/job_tuning.h"

#include <algorithm>

#include "ml/cluster_config.h"
#include "ml/tuning/metric_folder.h"
#include "ml/tuning/trial_plan.h"
#include "ml/tuning/trial_record.h"

namespace fireweed::ml {
namespace {

using api::ml::HyperparameterOutput;
using api::ml::JobState;

// A trial has ended for the search when its last figures are in.
JobState StateOf(const JobRecord& job, const Gang& gang, bool complete) {
  if (gang.phase != GangPhase::kEnded || !complete) {
    return gang.started ? JobState::kRunning : JobState::kQueued;
  }
  switch (gang.end) {
    case GangEnd::kSucceeded: return JobState::kSucceeded;
    case GangEnd::kFailed: return JobState::kFailed;
    case GangEnd::kNone:
    case GangEnd::kStopped: break;
  }
  // Stopped by the search it is a success that was cut short; with its job it was cancelled.
  bool with_job = job.outcome != JobState::kUnspecified && gang.ended && job.stopping &&
                  *gang.ended >= *job.stopping;
  return with_job ? JobState::kCancelled : JobState::kSucceeded;
}

HyperparameterOutput ShowTrial(Txn& txn, const JobRecord& job, const Gang& gang, bool& complete) {
  HyperparameterOutput shown{.trialId = gang.trial, .hyperparameters = gang.hyperparameters};
  Key key = TrialKey(job.project, job.job.jobId, gang.trial);
  auto row = txn.Find<TrialRecord>(key);
  bool whole = !row || row->value.complete;
  complete = complete && (gang.phase != GangPhase::kEnded || whole);
  shown.state = StateOf(job, gang, whole);
  shown.startTime = gang.started;
  if (api::ml::HasEnded(shown.state)) shown.endTime = gang.ended;
  bool early = gang.end == GangEnd::kStopped && shown.state == JobState::kSucceeded;
  if (early) shown.isTrialStoppedEarly = true;
  ShowMetrics(txn, key, shown);
  return shown;
}

}  // namespace

TuningLook LookAtTrials(Txn& txn, const JobRecord& job, int32_t most_gangs) {
  const api::ml::HyperparameterSpec& spec = *job.job.trainingInput->hyperparameters;
  TuningLook look;
  TuningSight sight{.spec = spec, .job_id = job.job.jobId, .most_at_once = most_gangs};
  for (const Gang& gang : job.gangs) {
    sight.trials.push_back(ShowTrial(txn, job, gang, look.complete));
    if (!gang.error.empty()) sight.errors[gang.trial] = gang.error;
  }
  if (!spec.resumePreviousJobId.empty()) {
    auto row = txn.Find<JobRecord>(job.project + "/" + spec.resumePreviousJobId);
    if (row && row->value.job.trainingOutput) {
      sight.previous = row->value.job.trainingOutput->trials;
    }
  }
  TuningStep step = PlanTuning(sight);
  look.orders = {.trials = std::move(sight.trials),
                 .start = std::move(step.start),
                 .stop = std::move(step.stop)};
  if (step.end) look.orders.end = {step.end->state, step.end->message};
  return look;
}

void StoreTrials(Txn& txn, const JobRecord& next, const std::string& metric_root) {
  for (const Gang& gang : next.gangs) {
    Key key = TrialKey(next.project, next.job.jobId, gang.trial);
    if (gang.phase == GangPhase::kEnded) {
      CloseTrial(txn, key);
      continue;
    }
    TrialRecord trial{.account = next.account, .directory = GangJobDir(next, gang)};
    if (!metric_root.empty()) {
      trial.folder = MetricFolder(metric_root, next.project, next.job.jobId, gang.trial);
    }
    trial.tag = next.job.trainingInput->hyperparameters->hyperparameterMetricTag;
    if (trial.tag.empty()) trial.tag = kDefaultMetricTag;
    OpenTrial(txn, key, trial);
  }
}

}  // namespace fireweed::ml
