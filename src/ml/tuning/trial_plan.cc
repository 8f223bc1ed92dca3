#include "ml/tuning/trial_plan.h"

#include <algorithm>
#include <charconv>
#include <set>

#include <fmt/format.h>

#include "ml/tuning/median_rule.h"
#include "ml/tuning/search_space.h"

namespace fireweed::ml {
namespace {

using api::ml::HyperparameterOutput;
using api::ml::HyperparameterSpec;
using api::ml::JobState;
using api::ml::SearchAlgorithm;

int64_t NumberOf(const HyperparameterOutput& trial) {
  int64_t number = 0;
  std::from_chars(trial.trialId.data(), trial.trialId.data() + trial.trialId.size(), number);
  return number;
}

int64_t HighestNumber(const std::vector<HyperparameterOutput>& trials) {
  int64_t highest = 0;
  for (const HyperparameterOutput& trial : trials) highest = std::max(highest, NumberOf(trial));
  return highest;
}

std::string Parameters(const HyperparameterOutput& trial) {
  std::string text;
  for (const auto& [name, value] : trial.hyperparameters)
    text += fmt::format("{}{}={}", text.empty() ? "" : ", ", name, value);
  return text;
}

// The next point that has not been tried; nullopt when the grid is used up.
class Search {
 public:
  explicit Search(const TuningSight& sight) : sight_(sight) {
    for (const auto* trials : {&sight.previous, &sight.trials}) {
      for (const HyperparameterOutput& trial : *trials) tried_.insert(trial.hyperparameters);
    }
    if (Grid()) size_ = GridSize(sight.spec);
  }

  std::optional<Point> Next(int64_t number) {
    if (!Grid()) return RandomPoint(sight_.spec, sight_.job_id, number);
    while (index_ < size_) {
      Point point = GridPoint(sight_.spec, index_++);
      if (tried_.insert(point).second) return point;
    }
    return std::nullopt;
  }

 private:
  bool Grid() const { return sight_.spec.algorithm == SearchAlgorithm::kGridSearch; }

  const TuningSight& sight_;
  std::set<Point> tried_;
  int64_t index_ = 0, size_ = 0;
};

// Why the job has failed, if it has. The original gives up at a failure before any success unless a number of
// failures to put up with is given.
std::optional<std::string> FailureOf(const TuningSight& sight) {
  int32_t allowed = sight.spec.maxFailedTrials.value_or(0), failed = 0;
  bool succeeded = false;
  const HyperparameterOutput* first = nullptr;
  for (const HyperparameterOutput& trial : sight.trials) {
    if (trial.state == JobState::kSucceeded) succeeded = true;
    if (trial.state != JobState::kFailed) continue;
    ++failed;
    if (!first || NumberOf(trial) < NumberOf(*first)) first = &trial;
  }
  if (!first) return std::nullopt;
  auto found = sight.errors.find(first->trialId);
  std::string error = found == sight.errors.end() ? "" : found->second;
  if (allowed > 0 && failed >= allowed)
    return fmt::format(
        "{} hyperparameter tuning trials have failed, which is as many as max_failed_trials "
        "allows. The first to fail was trial #{} with parameters: {}. The trial's error message "
        "was: {}",
        failed, first->trialId, Parameters(*first), error);
  if (allowed == 0 && !succeeded)
    return fmt::format(
        "Hyperparameter Tuning Trial #{} Failed before any other successful trials were "
        "completed. The failed trial had parameters: {}. The trial's error message was: {}",
        first->trialId, Parameters(*first), error);
  return std::nullopt;
}

void StopUnderWay(const TuningSight& sight, TuningStep& step) {
  for (const HyperparameterOutput& trial : sight.trials) {
    if (!HasEnded(trial.state)) step.stop.push_back(trial.trialId);
  }
}

std::vector<HyperparameterOutput> Known(const TuningSight& sight) {
  std::vector<HyperparameterOutput> known = sight.previous;
  known.insert(known.end(), sight.trials.begin(), sight.trials.end());
  return known;
}

}  // namespace

int32_t MaxTrials(const HyperparameterSpec& spec) { return spec.maxTrials.value_or(1); }
int32_t MaxParallelTrials(const HyperparameterSpec& spec) {
  return spec.maxParallelTrials.value_or(1);
}

std::string AlgorithmNote(const HyperparameterSpec& spec) {
  if (spec.algorithm.value_or(SearchAlgorithm::kUnspecified) != SearchAlgorithm::kUnspecified)
    return "";
  return "No search algorithm was given: trials are drawn at random (RANDOM_SEARCH), in the same "
         "order for every run of this job.";
}

TuningStep PlanTuning(const TuningSight& sight) {
  TuningStep step;
  if (std::optional<std::string> failure = FailureOf(sight)) {
    step.end = TuningEnd{JobState::kFailed, *failure};
    StopUnderWay(sight, step);
    return step;
  }
  auto under_way = static_cast<int32_t>(
      std::count_if(sight.trials.begin(), sight.trials.end(),
                    [](const HyperparameterOutput& trial) { return !HasEnded(trial.state); }));
  if (sight.spec.enableTrialEarlyStopping.value_or(false))
    step.stop = StoppedByMedian(Known(sight), sight.spec.goal);
  Search search(sight);
  int64_t number = std::max(HighestNumber(sight.trials), HighestNumber(sight.previous));
  auto left = MaxTrials(sight.spec) - static_cast<int32_t>(sight.trials.size());
  bool more = left > 0;
  int32_t most = std::min(MaxParallelTrials(sight.spec), sight.most_at_once);
  for (; more && left > 0 && under_way < most; --left, ++under_way) {
    std::optional<Point> point = search.Next(number + 1);
    more = point.has_value();
    if (!point) break;
    HyperparameterOutput trial;
    trial.trialId = std::to_string(++number);
    trial.hyperparameters = *point;
    trial.state = JobState::kQueued;
    step.start.push_back(std::move(trial));
  }
  if (step.start.empty() && under_way == 0) step.end = TuningEnd{};
  return step;
}

}  // namespace fireweed::ml
