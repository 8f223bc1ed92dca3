// Tuning as the ml API has it: the space that is searched, and the trials that were run.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/ml/job_state.h"
#include "describe/type.h"

namespace fireweed::api::ml {

enum class GoalType { kUnspecified, kMaximize, kMinimize };
enum class ParameterType { kUnspecified, kDouble, kInteger, kCategorical, kDiscrete };
enum class ScaleType { kNone, kUnitLinear, kUnitLog, kUnitReverseLog };
enum class SearchAlgorithm { kUnspecified, kGridSearch, kRandomSearch };

struct ParameterSpec {
  std::string parameterName;
  ParameterType type = ParameterType::kUnspecified;
  std::optional<double> minValue, maxValue;
  std::vector<std::string> categoricalValues;
  std::vector<double> discreteValues;
  std::optional<ScaleType> scaleType;
};

struct HyperparameterSpec {
  GoalType goal = GoalType::kUnspecified;
  std::vector<ParameterSpec> params;
  std::optional<int32_t> maxTrials, maxParallelTrials, maxFailedTrials;
  std::string hyperparameterMetricTag, resumePreviousJobId;
  std::optional<bool> enableTrialEarlyStopping;
  std::optional<SearchAlgorithm> algorithm;
};

struct HyperparameterMetric {
  int64_t trainingStep = 0;
  double objectiveValue = 0;
};

// One trial of a tuning job.
struct HyperparameterOutput {
  std::string trialId;
  std::map<std::string, std::string> hyperparameters;
  std::optional<HyperparameterMetric> finalMetric;
  std::vector<HyperparameterMetric> allMetrics;
  std::optional<bool> isTrialStoppedEarly;
  JobState state = JobState::kUnspecified;
  std::optional<Time> startTime, endTime;
  std::map<std::string, std::string> webAccessUris;
};

}  // namespace fireweed::api::ml

namespace fireweed {
template <>
inline constexpr std::string_view kTypeName<api::ml::GoalType> = "GoalType";
template <>
inline constexpr std::array<std::string_view, 3> kEnumNames<api::ml::GoalType>{
    "GOAL_TYPE_UNSPECIFIED", "MAXIMIZE", "MINIMIZE"};
template <>
inline constexpr std::string_view kTypeName<api::ml::ParameterType> = "ParameterType";
template <>
inline constexpr std::array<std::string_view, 5> kEnumNames<api::ml::ParameterType>{
    "PARAMETER_TYPE_UNSPECIFIED", "DOUBLE", "INTEGER", "CATEGORICAL", "DISCRETE"};
template <>
inline constexpr std::string_view kTypeName<api::ml::ScaleType> = "ScaleType";
template <>
inline constexpr std::array<std::string_view, 4> kEnumNames<api::ml::ScaleType>{
    "NONE", "UNIT_LINEAR_SCALE", "UNIT_LOG_SCALE", "UNIT_REVERSE_LOG_SCALE"};
template <>
inline constexpr std::string_view kTypeName<api::ml::SearchAlgorithm> = "SearchAlgorithm";
template <>
inline constexpr std::array<std::string_view, 3> kEnumNames<api::ml::SearchAlgorithm>{
    "ALGORITHM_UNSPECIFIED", "GRID_SEARCH", "RANDOM_SEARCH"};
template <>
inline constexpr std::string_view kTypeName<api::ml::ParameterSpec> = "ParameterSpec";
template <>
inline constexpr auto kFields<api::ml::ParameterSpec> = [](auto...) {
  return Fields{F("parameterName", &api::ml::ParameterSpec::parameterName),
                F("type", &api::ml::ParameterSpec::type),
                F("minValue", &api::ml::ParameterSpec::minValue),
                F("maxValue", &api::ml::ParameterSpec::maxValue),
                F("categoricalValues", &api::ml::ParameterSpec::categoricalValues),
                F("discreteValues", &api::ml::ParameterSpec::discreteValues),
                F("scaleType", &api::ml::ParameterSpec::scaleType)};
};
template <>
inline constexpr std::string_view kTypeName<api::ml::HyperparameterSpec> = "HyperparameterSpec";
template <>
inline constexpr auto kFields<api::ml::HyperparameterSpec> = [](auto...) {
  return Fields{
      F("goal", &api::ml::HyperparameterSpec::goal),
      F("params", &api::ml::HyperparameterSpec::params),
      F("maxTrials", &api::ml::HyperparameterSpec::maxTrials),
      F("maxParallelTrials", &api::ml::HyperparameterSpec::maxParallelTrials),
      F("maxFailedTrials", &api::ml::HyperparameterSpec::maxFailedTrials),
      F("hyperparameterMetricTag", &api::ml::HyperparameterSpec::hyperparameterMetricTag),
      F("resumePreviousJobId", &api::ml::HyperparameterSpec::resumePreviousJobId),
      F("enableTrialEarlyStopping", &api::ml::HyperparameterSpec::enableTrialEarlyStopping),
      F("algorithm", &api::ml::HyperparameterSpec::algorithm)};
};
template <>
inline constexpr std::string_view kTypeName<api::ml::HyperparameterMetric> = "HyperparameterMetric";
template <>
inline constexpr auto kFields<api::ml::HyperparameterMetric> = [](auto...) {
  return Fields{F("trainingStep", &api::ml::HyperparameterMetric::trainingStep),
                F("objectiveValue", &api::ml::HyperparameterMetric::objectiveValue)};
};
template <>
inline constexpr std::string_view kTypeName<api::ml::HyperparameterOutput> = "HyperparameterOutput";
template <>
inline constexpr auto kFields<api::ml::HyperparameterOutput> = [](auto...) {
  return Fields{F("trialId", &api::ml::HyperparameterOutput::trialId),
                F("hyperparameters", &api::ml::HyperparameterOutput::hyperparameters),
                F("finalMetric", &api::ml::HyperparameterOutput::finalMetric),
                F("allMetrics", &api::ml::HyperparameterOutput::allMetrics),
                F("isTrialStoppedEarly", &api::ml::HyperparameterOutput::isTrialStoppedEarly),
                F("state", &api::ml::HyperparameterOutput::state),
                F("startTime", &api::ml::HyperparameterOutput::startTime),
                F("endTime", &api::ml::HyperparameterOutput::endTime),
                F("webAccessUris", &api::ml::HyperparameterOutput::webAccessUris)};
};
}  // namespace fireweed
