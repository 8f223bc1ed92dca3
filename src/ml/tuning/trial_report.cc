#include "ml/tuning/trial_report.h"

#include <algorithm>
#include <charconv>
#include <map>

namespace fireweed::ml {
namespace {

using api::ml::HyperparameterMetric;
using api::ml::HyperparameterOutput;

int64_t NumberOf(const HyperparameterOutput& trial) {
  int64_t number = 0;
  std::from_chars(trial.trialId.data(), trial.trialId.data() + trial.trialId.size(), number);
  return number;
}

void Thin(std::vector<HyperparameterMetric>& all) {
  while (all.size() > kMostMeasurements) {
    std::vector<HyperparameterMetric> thinned;
    for (size_t i = (all.size() - 1) % 2; i < all.size(); i += 2) thinned.push_back(all[i]);
    all = std::move(thinned);
  }
}

}  // namespace

void Report(HyperparameterOutput& trial, std::vector<records::Measurement> measurements) {
  if (measurements.empty()) return;
  // Several files may tell of one step: what was written last counts.
  std::stable_sort(measurements.begin(), measurements.end(),
                   [](const auto& a, const auto& b) { return a.wall_time < b.wall_time; });
  std::map<int64_t, double> by_step;
  for (const records::Measurement& measurement : measurements)
    by_step[measurement.step] = measurement.value;
  std::vector<HyperparameterMetric> all;
  for (const auto& [step, value] : by_step) all.push_back({step, value});
  Thin(all);
  trial.finalMetric = all.back();
  trial.allMetrics = std::move(all);
}

void KeepEarlier(HyperparameterOutput& trial, const std::vector<HyperparameterMetric>& earlier) {
  std::vector<HyperparameterMetric> all;
  for (const HyperparameterMetric& metric : earlier) {
    if (trial.allMetrics.empty() || metric.trainingStep < trial.allMetrics.front().trainingStep)
      all.push_back(metric);
  }
  all.insert(all.end(), trial.allMetrics.begin(), trial.allMetrics.end());
  if (all.empty()) return;
  Thin(all);
  trial.finalMetric = all.back();
  trial.allMetrics = std::move(all);
}

void SortTrials(std::vector<HyperparameterOutput>& trials, api::ml::GoalType goal) {
  double sign = goal == api::ml::GoalType::kMinimize ? 1 : -1;
  std::stable_sort(
      trials.begin(), trials.end(),
      [sign](const HyperparameterOutput& a, const HyperparameterOutput& b) {
        if (a.finalMetric.has_value() != b.finalMetric.has_value())
          return a.finalMetric.has_value();
        if (a.finalMetric && a.finalMetric->objectiveValue != b.finalMetric->objectiveValue)
          return sign * a.finalMetric->objectiveValue < sign * b.finalMetric->objectiveValue;
        return NumberOf(a) < NumberOf(b);
      });
}

}  // namespace fireweed::ml
