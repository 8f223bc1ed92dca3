// Online prediction: the ml API's own methods, and the same models at the paths of TensorFlow Serving and of the Open
// Inference Protocol (KServe v2), each below a prefix that names the project. Bodies are not described: they go to the
// model as they came.
#pragma once

#include <string>

#include "api/ml/model_methods.h"

namespace fireweed::api::ml {

inline constexpr Method<NameModel, Empty> kPredictModel{
    kService,
    Verb::kPost,
    "/v1/projects/{project}/models/{model}:predict",
    "ml.projects.models.predict",
    "ml.models.predict",
    kModelResource};
inline constexpr Method<NameVersion, Empty> kPredictVersion{
    kService,
    Verb::kPost,
    "/v1/projects/{project}/models/{model}/versions/{version}:predict",
    "ml.projects.models.versions.predict",
    "ml.versions.predict",
    kModelResource};
inline constexpr Method<NameModel, Empty> kExplainModel{
    kService,
    Verb::kPost,
    "/v1/projects/{project}/models/{model}:explain",
    "ml.projects.models.explain",
    "ml.models.predict",
    kModelResource};
inline constexpr Method<NameVersion, Empty> kExplainVersion{
    kService,
    Verb::kPost,
    "/v1/projects/{project}/models/{model}/versions/{version}:explain",
    "ml.projects.models.versions.explain",
    "ml.versions.predict",
    kModelResource};

// At the daemon's own address only.
inline constexpr Service kServing{.name = "serving",
                                  .version = "v1",
                                  .title = "Models at other servers' paths",
                                  .hosts = {},
                                  .documented = false};

inline constexpr Method<NameModel, Empty> kTfPredictModel{
    kServing,
    Verb::kPost,
    "/tfserving/{project}/v1/models/{model}:predict",
    "serving.tf.predict",
    "ml.models.predict",
    kModelResource};
inline constexpr Method<NameVersion, Empty> kTfPredictVersion{
    kServing,
    Verb::kPost,
    "/tfserving/{project}/v1/models/{model}/versions/{version}:predict",
    "serving.tf.versions.predict",
    "ml.versions.predict",
    kModelResource};
inline constexpr Method<NameModel, Empty> kTfStatus{
    kServing,         Verb::kGet,      "/tfserving/{project}/v1/models/{model}",
    "serving.tf.get", "ml.models.get", kModelResource};
inline constexpr Method<NameModel, Empty> kTfMetadata{
    kServing,
    Verb::kGet,
    "/tfserving/{project}/v1/models/{model}/metadata",
    "serving.tf.metadata",
    "ml.models.get",
    kModelResource};
inline constexpr Method<NameVersion, Empty> kTfStatusVersion{
    kServing,
    Verb::kGet,
    "/tfserving/{project}/v1/models/{model}/versions/{version}",
    "serving.tf.versions.get",
    "ml.versions.get",
    kModelResource};
inline constexpr Method<NameVersion, Empty> kTfMetadataVersion{
    kServing,
    Verb::kGet,
    "/tfserving/{project}/v1/models/{model}/versions/{version}/metadata",
    "serving.tf.versions.metadata",
    "ml.versions.get",
    kModelResource};
inline constexpr Method<NameModel, Empty> kKserveInfer{kServing,
                                                       Verb::kPost,
                                                       "/kserve/{project}/v2/models/{model}/infer",
                                                       "serving.kserve.infer",
                                                       "ml.models.predict",
                                                       kModelResource};
inline constexpr Method<NameVersion, Empty> kKserveInferVersion{
    kServing,
    Verb::kPost,
    "/kserve/{project}/v2/models/{model}/versions/{version}/infer",
    "serving.kserve.versions.infer",
    "ml.versions.predict",
    kModelResource};
inline constexpr Method<NameModel, Empty> kKserveModel{
    kServing,        Verb::kGet,    "/kserve/{project}/v2/models/{model}", "serving.kserve.get",
    "ml.models.get", kModelResource};
inline constexpr Method<NameModel, Empty> kKserveReady{kServing,
                                                       Verb::kGet,
                                                       "/kserve/{project}/v2/models/{model}/ready",
                                                       "serving.kserve.ready",
                                                       "ml.models.get",
                                                       kModelResource};
inline constexpr Method<NameVersion, Empty> kKserveModelVersion{
    kServing,
    Verb::kGet,
    "/kserve/{project}/v2/models/{model}/versions/{version}",
    "serving.kserve.versions.get",
    "ml.versions.get",
    kModelResource};
inline constexpr Method<NameVersion, Empty> kKserveReadyVersion{
    kServing,
    Verb::kGet,
    "/kserve/{project}/v2/models/{model}/versions/{version}/ready",
    "serving.kserve.versions.ready",
    "ml.versions.get",
    kModelResource};

// Of the server and not of a model: open, like the daemon's own health.
struct NameServer {
  std::string project;
};
inline constexpr Method<NameServer, Empty> kKserveServer{
    kServing, Verb::kGet, "/kserve/{project}/v2", "serving.kserve.server"};
inline constexpr Method<NameServer, Empty> kKserveLive{
    kServing, Verb::kGet, "/kserve/{project}/v2/health/live", "serving.kserve.live"};
inline constexpr Method<NameServer, Empty> kKserveServerReady{
    kServing, Verb::kGet, "/kserve/{project}/v2/health/ready", "serving.kserve.health"};

}  // namespace fireweed::api::ml

namespace fireweed {
template <>
inline constexpr std::string_view kTypeName<api::ml::NameServer> = "NameServer";
template <>
inline constexpr auto kFields<api::ml::NameServer> =
    [](auto...) { return Fields{F("project", &api::ml::NameServer::project, kPath)}; };
}  // namespace fireweed
