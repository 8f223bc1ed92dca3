// Jobs as the API shows them: training and batch prediction.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/ml/job_state.h"
#include "api/ml/prediction_job.h"
#include "api/ml/training_input.h"
#include "describe/type.h"

namespace fireweed::api::ml {

struct TrainingOutput {
  std::optional<int64_t> completedTrialCount;
  std::vector<HyperparameterOutput> trials;
  double consumedMLUnits = 0;
  std::optional<bool> isHyperparameterTuningJob, isBuiltInAlgorithmJob;
  std::string hyperparameterMetricTag;
  std::map<std::string, std::string> webAccessUris;
};

// Ours: what happened to a job, and when, for people.
struct JobEvent {
  Time time{};
  std::string what;     // "queued", "packages ready", "master-replica-0 preempted"
  std::string elapsed;  // since the event before: "2.1s"
};

struct Job {
  std::string jobId;
  std::optional<TrainingInput> trainingInput;
  std::optional<PredictionInput> predictionInput;
  std::optional<Time> createTime, startTime, endTime;
  JobState state = JobState::kUnspecified;
  std::string errorMessage;
  std::optional<TrainingOutput> trainingOutput;
  std::optional<PredictionOutput> predictionOutput;
  std::map<std::string, std::string> labels;
  Bytes etag;
  std::optional<int64_t> jobPosition;  // in the queue, from 1
  std::vector<JobEvent> timeline;
  std::vector<std::string> warnings;  // ours: what is used instead of what was requested
};

}  // namespace fireweed::api::ml

namespace fireweed {
template <>
inline constexpr std::string_view kTypeName<api::ml::TrainingOutput> = "TrainingOutput";
template <>
inline constexpr auto kFields<api::ml::TrainingOutput> = [](auto...) {
  return Fields{F("completedTrialCount", &api::ml::TrainingOutput::completedTrialCount),
                F("trials", &api::ml::TrainingOutput::trials),
                F("consumedMLUnits", &api::ml::TrainingOutput::consumedMLUnits),
                F("isHyperparameterTuningJob", &api::ml::TrainingOutput::isHyperparameterTuningJob),
                F("isBuiltInAlgorithmJob", &api::ml::TrainingOutput::isBuiltInAlgorithmJob),
                F("hyperparameterMetricTag", &api::ml::TrainingOutput::hyperparameterMetricTag),
                F("webAccessUris", &api::ml::TrainingOutput::webAccessUris)};
};
template <>
inline constexpr std::string_view kTypeName<api::ml::JobEvent> = "JobEvent";
template <>
inline constexpr auto kFields<api::ml::JobEvent> = [](auto...) {
  return Fields{F("time", &api::ml::JobEvent::time), F("what", &api::ml::JobEvent::what),
                F("elapsed", &api::ml::JobEvent::elapsed)};
};
template <>
inline constexpr std::string_view kTypeName<api::ml::Job> = "Job";
template <>
inline constexpr auto kFields<api::ml::Job> = [](auto...) {
  return Fields{F("jobId", &api::ml::Job::jobId, kRequired | kImmutable),
                F("trainingInput", &api::ml::Job::trainingInput),
                F("predictionInput", &api::ml::Job::predictionInput),
                F("createTime", &api::ml::Job::createTime, kOutput),
                F("startTime", &api::ml::Job::startTime, kOutput),
                F("endTime", &api::ml::Job::endTime, kOutput),
                F("state", &api::ml::Job::state, kOutput),
                F("errorMessage", &api::ml::Job::errorMessage, kOutput),
                F("trainingOutput", &api::ml::Job::trainingOutput, kOutput),
                F("predictionOutput", &api::ml::Job::predictionOutput, kOutput),
                F("labels", &api::ml::Job::labels),
                F("etag", &api::ml::Job::etag),
                F("jobPosition", &api::ml::Job::jobPosition, kOutput),
                F("timeline", &api::ml::Job::timeline, kOutput),
                F("warnings", &api::ml::Job::warnings, kOutput)};
};
extern template const Type& TypeOf<api::ml::Job>();
}  // namespace fireweed
