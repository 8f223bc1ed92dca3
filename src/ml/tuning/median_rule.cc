#include "ml/tuning/median_rule.h"

#include <algorithm>
#include <optional>

namespace fireweed::ml {
namespace {

using api::ml::HyperparameterMetric;
using api::ml::HyperparameterOutput;
using api::ml::JobState;

// Larger is better, whatever the goal.
double Merit(const HyperparameterMetric& metric, double sign) {
  return sign * metric.objectiveValue;
}

std::optional<double> AverageUntil(const HyperparameterOutput& trial, int64_t step, double sign) {
  double sum = 0;
  int count = 0;
  for (const HyperparameterMetric& metric : trial.allMetrics) {
    if (metric.trainingStep > step) continue;
    sum += Merit(metric, sign);
    ++count;
  }
  if (count == 0) return std::nullopt;
  return sum / count;
}

double Median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  size_t middle = values.size() / 2;
  return values.size() % 2 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

}  // namespace

std::vector<std::string> StoppedByMedian(const std::vector<HyperparameterOutput>& trials,
                                         api::ml::GoalType goal) {
  double sign = goal == api::ml::GoalType::kMinimize ? -1 : 1;
  std::vector<std::string> stopped;
  for (const HyperparameterOutput& trial : trials) {
    bool candidate = trial.state == JobState::kRunning && !trial.allMetrics.empty() &&
                     !trial.isTrialStoppedEarly.value_or(false);
    if (!candidate) continue;
    int64_t step = 0;
    std::optional<double> best;
    for (const HyperparameterMetric& metric : trial.allMetrics) {
      step = std::max(step, metric.trainingStep);
      best = std::max(best.value_or(Merit(metric, sign)), Merit(metric, sign));
    }
    std::vector<double> averages;
    for (const HyperparameterOutput& other : trials) {
      if (other.state != JobState::kSucceeded) continue;
      if (auto average = AverageUntil(other, step, sign)) averages.push_back(*average);
    }
    if (averages.size() >= kFewestFinished && *best < Median(averages))
      stopped.push_back(trial.trialId);
  }
  return stopped;
}

}  // namespace fireweed::ml
