// projects.locations.studies of the ml API: optimisation without a job. Every method is known, so that a client is told
// what is missing; none is served.
#pragma once

#include "api/ml/service.h"

namespace fireweed::api::ml {

inline constexpr Method<Empty, Empty> kCreateStudy{
    kService,
    Verb::kPost,
    "/v1/projects/{project}/locations/{location}/studies",
    "ml.projects.locations.studies.create",
    "ml.studies.create",
    kProjectResource};
inline constexpr Method<Empty, Empty> kListStudies{
    kService,
    Verb::kGet,
    "/v1/projects/{project}/locations/{location}/studies",
    "ml.projects.locations.studies.list",
    "ml.studies.list",
    kProjectResource};
inline constexpr Method<Empty, Empty> kGetStudy{
    kService,
    Verb::kGet,
    "/v1/projects/{project}/locations/{location}/studies/{study}",
    "ml.projects.locations.studies.get",
    "ml.studies.get",
    kProjectResource};
inline constexpr Method<Empty, Empty> kDeleteStudy{
    kService,
    Verb::kDelete,
    "/v1/projects/{project}/locations/{location}/studies/{study}",
    "ml.projects.locations.studies.delete",
    "ml.studies.delete",
    kProjectResource};
inline constexpr Method<Empty, Empty> kCreateTrial{
    kService,
    Verb::kPost,
    "/v1/projects/{project}/locations/{location}/studies/{study}/trials",
    "ml.projects.locations.studies.trials.create",
    "ml.trials.create",
    kProjectResource};
inline constexpr Method<Empty, Empty> kListTrials{
    kService,
    Verb::kGet,
    "/v1/projects/{project}/locations/{location}/studies/{study}/trials",
    "ml.projects.locations.studies.trials.list",
    "ml.trials.list",
    kProjectResource};
inline constexpr Method<Empty, Empty> kListOptimalTrials{
    kService,
    Verb::kPost,
    "/v1/projects/{project}/locations/{location}/studies/{study}/trials:listOptimalTrials",
    "ml.projects.locations.studies.trials.listOptimalTrials",
    "ml.trials.listOptimalTrials",
    kProjectResource};
inline constexpr Method<Empty, Empty> kSuggestTrials{
    kService,
    Verb::kPost,
    "/v1/projects/{project}/locations/{location}/studies/{study}/trials:suggest",
    "ml.projects.locations.studies.trials.suggest",
    "ml.trials.suggest",
    kProjectResource};
inline constexpr Method<Empty, Empty> kGetTrial{
    kService,
    Verb::kGet,
    "/v1/projects/{project}/locations/{location}/studies/{study}/trials/{trial}",
    "ml.projects.locations.studies.trials.get",
    "ml.trials.get",
    kProjectResource};
inline constexpr Method<Empty, Empty> kDeleteTrial{
    kService,
    Verb::kDelete,
    "/v1/projects/{project}/locations/{location}/studies/{study}/trials/{trial}",
    "ml.projects.locations.studies.trials.delete",
    "ml.trials.delete",
    kProjectResource};
inline constexpr Method<Empty, Empty> kAddMeasurement{
    kService,
    Verb::kPost,
    "/v1/projects/{project}/locations/{location}/studies/{study}/trials/{trial}:addMeasurement",
    "ml.projects.locations.studies.trials.addMeasurement",
    "ml.trials.addMeasurement",
    kProjectResource};
inline constexpr Method<Empty, Empty> kCheckEarlyStopping{
    kService,
    Verb::kPost,
    "/v1/projects/{project}/locations/{location}/studies/{study}/trials/"
    "{trial}:checkEarlyStoppingState",
    "ml.projects.locations.studies.trials.checkEarlyStoppingState",
    "ml.trials.checkEarlyStoppingState",
    kProjectResource};
inline constexpr Method<Empty, Empty> kCompleteTrial{
    kService,
    Verb::kPost,
    "/v1/projects/{project}/locations/{location}/studies/{study}/trials/{trial}:complete",
    "ml.projects.locations.studies.trials.complete",
    "ml.trials.complete",
    kProjectResource};
inline constexpr Method<Empty, Empty> kStopTrial{
    kService,
    Verb::kPost,
    "/v1/projects/{project}/locations/{location}/studies/{study}/trials/{trial}:stop",
    "ml.projects.locations.studies.trials.stop",
    "ml.trials.stop",
    kProjectResource};
inline constexpr Method<Empty, Empty> kGetLocationOperation{
    kService,
    Verb::kGet,
    "/v1/projects/{project}/locations/{location}/operations/{operation}",
    "ml.projects.locations.operations.get",
    "ml.operations.get",
    kProjectResource};
inline constexpr Method<Empty, Empty> kCancelLocationOperation{
    kService,
    Verb::kPost,
    "/v1/projects/{project}/locations/{location}/operations/{operation}:cancel",
    "ml.projects.locations.operations.cancel",
    "ml.operations.cancel",
    kProjectResource};

// All of them, to be refused alike.
inline constexpr const Method<Empty, Empty>* kStudyMethods[] = {&kCreateStudy,
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
