// Models and their versions, as the ml API shows them.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "describe/type.h"

namespace fireweed::api::ml {

enum class VersionState { kUnknown, kReady, kCreating, kFailed, kDeleting, kUpdating };
enum class Framework { kUnspecified, kTensorflow, kScikitLearn, kXgboost };

struct AutoScaling {
  int32_t minNodes = 0;
  std::optional<int32_t> maxNodes;
  Json metrics;  // kept as sent: a version has one process
};
struct ManualScaling {
  int32_t nodes = 0;
};
struct RequestLoggingConfig {
  double samplingPercentage = 0;
  std::string bigqueryTableName;
  std::string outputUri;  // fireweed: gs://BUCKET/PREFIX, where lines of requests and answers go
};
struct AcceleratorConfig {
  int64_t count = 0;
  std::string type;
};

struct Version {
  std::string name, description;
  bool isDefault = false;
  std::string deploymentUri;
  std::optional<Time> createTime, lastUseTime, lastMigrationTime;
  std::string lastMigrationModelId;
  std::string runtimeVersion, machineType;
  std::optional<AutoScaling> autoScaling;
  std::optional<ManualScaling> manualScaling;
  VersionState state = VersionState::kUnknown;
  std::string errorMessage;
  std::vector<std::string> packageUris;
  std::map<std::string, std::string> labels;
  Bytes etag;
  Framework framework = Framework::kUnspecified;
  std::string pythonVersion, predictionClass, serviceAccount;
  std::optional<RequestLoggingConfig> requestLoggingConfig;
  std::optional<AcceleratorConfig> acceleratorConfig;
  Json explanationConfig, container, routes;  // taken note of to be refused
};

struct Model {
  std::string name, description;
  std::optional<Version> defaultVersion;
  std::vector<std::string> regions;
  bool onlinePredictionLogging = false, onlinePredictionConsoleLogging = false;
  std::map<std::string, std::string> labels;
  Bytes etag;
  // fireweed: what share of the requests that name no version goes to which, in percent. What is left goes to the
  // default version.
  std::map<std::string, int32_t> trafficSplit;
};

}  // namespace fireweed::api::ml

namespace fireweed {
template <>
inline constexpr std::string_view kTypeName<api::ml::VersionState> = "VersionState";
template <>
inline constexpr std::array<std::string_view, 6> kEnumNames<api::ml::VersionState>{
    "UNKNOWN", "READY", "CREATING", "FAILED", "DELETING", "UPDATING"};
template <>
inline constexpr std::string_view kTypeName<api::ml::Framework> = "Framework";
template <>
inline constexpr std::array<std::string_view, 4> kEnumNames<api::ml::Framework>{
    "FRAMEWORK_UNSPECIFIED", "TENSORFLOW", "SCIKIT_LEARN", "XGBOOST"};
template <>
inline constexpr std::string_view kTypeName<api::ml::AutoScaling> = "AutoScaling";
template <>
inline constexpr auto kFields<api::ml::AutoScaling> = [](auto...) {
  return Fields{F("minNodes", &api::ml::AutoScaling::minNodes),
                F("maxNodes", &api::ml::AutoScaling::maxNodes),
                F("metrics", &api::ml::AutoScaling::metrics)};
};
template <>
inline constexpr std::string_view kTypeName<api::ml::ManualScaling> = "ManualScaling";
template <>
inline constexpr auto kFields<api::ml::ManualScaling> =
    [](auto...) { return Fields{F("nodes", &api::ml::ManualScaling::nodes)}; };
template <>
inline constexpr std::string_view kTypeName<api::ml::RequestLoggingConfig> = "RequestLoggingConfig";
template <>
inline constexpr auto kFields<api::ml::RequestLoggingConfig> = [](auto...) {
  return Fields{F("samplingPercentage", &api::ml::RequestLoggingConfig::samplingPercentage),
                F("bigqueryTableName", &api::ml::RequestLoggingConfig::bigqueryTableName),
                F("outputUri", &api::ml::RequestLoggingConfig::outputUri)};
};
template <>
inline constexpr std::string_view kTypeName<api::ml::AcceleratorConfig> = "AcceleratorConfig";
template <>
inline constexpr auto kFields<api::ml::AcceleratorConfig> = [](auto...) {
  return Fields{F("count", &api::ml::AcceleratorConfig::count),
                F("type", &api::ml::AcceleratorConfig::type)};
};
template <>
inline constexpr std::string_view kTypeName<api::ml::Version> = "Version";
template <>
inline constexpr auto kFields<api::ml::Version> = [](auto...) {
  return Fields{F("name", &api::ml::Version::name, kRequired | kImmutable),
                F("description", &api::ml::Version::description),
                F("isDefault", &api::ml::Version::isDefault, kOutput),
                F("deploymentUri", &api::ml::Version::deploymentUri, kImmutable),
                F("createTime", &api::ml::Version::createTime, kOutput),
                F("lastUseTime", &api::ml::Version::lastUseTime, kOutput),
                F("lastMigrationTime", &api::ml::Version::lastMigrationTime, kOutput),
                F("lastMigrationModelId", &api::ml::Version::lastMigrationModelId, kOutput),
                F("runtimeVersion", &api::ml::Version::runtimeVersion, kImmutable),
                F("machineType", &api::ml::Version::machineType),
                F("autoScaling", &api::ml::Version::autoScaling),
                F("manualScaling", &api::ml::Version::manualScaling),
                F("state", &api::ml::Version::state, kOutput),
                F("errorMessage", &api::ml::Version::errorMessage, kOutput),
                F("packageUris", &api::ml::Version::packageUris, kImmutable),
                F("labels", &api::ml::Version::labels),
                F("etag", &api::ml::Version::etag),
                F("framework", &api::ml::Version::framework, kImmutable),
                F("pythonVersion", &api::ml::Version::pythonVersion, kImmutable),
                F("predictionClass", &api::ml::Version::predictionClass, kImmutable),
                F("serviceAccount", &api::ml::Version::serviceAccount, kImmutable),
                F("requestLoggingConfig", &api::ml::Version::requestLoggingConfig),
                F("acceleratorConfig", &api::ml::Version::acceleratorConfig, kImmutable),
                F("explanationConfig", &api::ml::Version::explanationConfig, kImmutable),
                F("container", &api::ml::Version::container, kImmutable),
                F("routes", &api::ml::Version::routes, kImmutable)};
};
template <>
inline constexpr std::string_view kTypeName<api::ml::Model> = "Model";
template <>
inline constexpr auto kFields<api::ml::Model> = [](auto...) {
  return Fields{
      F("name", &api::ml::Model::name, kRequired | kImmutable),
      F("description", &api::ml::Model::description),
      F("defaultVersion", &api::ml::Model::defaultVersion, kOutput),
      F("regions", &api::ml::Model::regions, kImmutable),
      F("onlinePredictionLogging", &api::ml::Model::onlinePredictionLogging),
      F("onlinePredictionConsoleLogging", &api::ml::Model::onlinePredictionConsoleLogging),
      F("labels", &api::ml::Model::labels),
      F("etag", &api::ml::Model::etag),
      F("trafficSplit", &api::ml::Model::trafficSplit, 0,
        "Fireweed: percent of the requests that name no version, by version; the rest goes to the "
        "default version.")};
};
}  // namespace fireweed
