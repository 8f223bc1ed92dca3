// projects.locations.studies of the ml API: optimisation without a job. Every method is known, so that a client is told
// what is missing; none is served.
#pragma once

#include <string>

#include "api/ml/service.h"

namespace fireweed::api::ml {

struct NameStudy {
  std::string project, location, study, trial, operation;
};

inline constexpr Method<NameStudy, Empty> kCreateStudy{
    kService,
    Verb::kPost,
    "/v1/projects/{project}/locations/{location}/studies",
    "ml.projects.locations.studies.create",
    "ml.studies.create",
    kProjectResource};
inline constexpr Method<NameStudy, Empty> kListStudies{
    kService,
    Verb::kGet,
    "/v1/projects/{project}/locations/{location}/studies",
    "ml.projects.locations.studies.list",
    "ml.studies.list",
    kProjectResource};
inline constexpr Method<NameStudy, Empty> kGetStudy{
    kService,
    Verb::kGet,
    "/v1/projects/{project}/locations/{location}/studies/{study}",
    "ml.projects.locations.studies.get",
    "ml.studies.get",
    kProjectResource};
inline constexpr Method<NameStudy, Empty> kDeleteStudy{
    kService,
    Verb::kDelete,
    "/v1/projects/{project}/locations/{location}/studies/{study}",
    "ml.projects.locations.studies.delete",
    "ml.studies.delete",
    kProjectResource};
inline constexpr Method<NameStudy, Empty> kCreateTrial{
    kService,
    Verb::kPost,
    "/v1/projects/{project}/locations/{location}/studies/{study}/trials",
    "ml.projects.locations.studies.trials.create",
    "ml.trials.create",
    kProjectResource};
inline constexpr Method<NameStudy, Empty> kListTrials{
    kService,
    Verb::kGet,
    "/v1/projects/{project}/locations/{location}/studies/{study}/trials",
    "ml.projects.locations.studies.trials.list",
    "ml.trials.list",
    kProjectResource};
inline constexpr Method<NameStudy, Empty> kListOptimalTrials{
    kService,
    Verb::kPost,
    "/v1/projects/{project}/locations/{location}/studies/{study}/trials:listOptimalTrials",
    "ml.projects.locations.studies.trials.listOptimalTrials",
    "ml.trials.listOptimalTrials",
    kProjectResource};
inline constexpr Method<NameStudy, Empty> kSuggestTrials{
    kService,
    Verb::kPost,
    "/v1/projects/{project}/locations/{location}/studies/{study}/trials:suggest",
    "ml.projects.locations.studies.trials.suggest",
    "ml.trials.suggest",
    kProjectResource};
inline constexpr Method<NameStudy, Empty> kGetTrial{
    kService,
    Verb::kGet,
    "/v1/projects/{project}/locations/{location}/studies/{study}/trials/{trial}",
    "ml.projects.locations.studies.trials.get",
    "ml.trials.get",
    kProjectResource};
inline constexpr Method<NameStudy, Empty> kDeleteTrial{
    kService,
    Verb::kDelete,
    "/v1/projects/{project}/locations/{location}/studies/{study}/trials/{trial}",
    "ml.projects.locations.studies.trials.delete",
    "ml.trials.delete",
    kProjectResource};
inline constexpr Method<NameStudy, Empty> kAddMeasurement{
    kService,
    Verb::kPost,
    "/v1/projects/{project}/locations/{location}/studies/{study}/trials/{trial}:addMeasurement",
    "ml.projects.locations.studies.trials.addMeasurement",
    "ml.trials.addMeasurement",
    kProjectResource};
inline constexpr Method<NameStudy, Empty> kCheckEarlyStopping{
    kService,
    Verb::kPost,
    "/v1/projects/{project}/locations/{location}/studies/{study}/trials/"
    "{trial}:checkEarlyStoppingState",
    "ml.projects.locations.studies.trials.checkEarlyStoppingState",
    "ml.trials.checkEarlyStoppingState",
    kProjectResource};
inline constexpr Method<NameStudy, Empty> kCompleteTrial{
    kService,
    Verb::kPost,
    "/v1/projects/{project}/locations/{location}/studies/{study}/trials/{trial}:complete",
    "ml.projects.locations.studies.trials.complete",
    "ml.trials.complete",
    kProjectResource};
inline constexpr Method<NameStudy, Empty> kStopTrial{
    kService,
    Verb::kPost,
    "/v1/projects/{project}/locations/{location}/studies/{study}/trials/{trial}:stop",
    "ml.projects.locations.studies.trials.stop",
    "ml.trials.stop",
    kProjectResource};
inline constexpr Method<NameStudy, Empty> kGetLocationOperation{
    kService,
    Verb::kGet,
    "/v1/projects/{project}/locations/{location}/operations/{operation}",
    "ml.projects.locations.operations.get",
    "ml.operations.get",
    kProjectResource};
inline constexpr Method<NameStudy, Empty> kCancelLocationOperation{
    kService,
    Verb::kPost,
    "/v1/projects/{project}/locations/{location}/operations/{operation}:cancel",
    "ml.projects.locations.operations.cancel",
    "ml.operations.cancel",
    kProjectResource};

// All of them, to be refused alike.
inline constexpr const Method<NameStudy, Empty>* kStudyMethods[] = {&kCreateStudy,
                                                                    &kListStudies,
                                                                    &kGetStudy,
                                                                    &kDeleteStudy,
                                                                    &kCreateTrial,
                                                                    &kListTrials,
                                                                    &kListOptimalTrials,
                                                                    &kSuggestTrials,
                                                                    &kGetTrial,
                                                                    &kDeleteTrial,
                                                                    &kAddMeasurement,
                                                                    &kCheckEarlyStopping,
                                                                    &kCompleteTrial,
                                                                    &kStopTrial,
                                                                    &kGetLocationOperation,
                                                                    &kCancelLocationOperation};

}  // namespace fireweed::api::ml

namespace fireweed {
template <>
inline constexpr auto kFields<api::ml::NameStudy> = [](auto...) {
  return Fields{F("project", &api::ml::NameStudy::project, kPath),
                F("location", &api::ml::NameStudy::location, kPath),
                F("study", &api::ml::NameStudy::study, kPath),
                F("trial", &api::ml::NameStudy::trial, kPath),
                F("operation", &api::ml::NameStudy::operation, kPath)};
};
}  // namespace fireweed
