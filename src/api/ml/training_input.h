// What a training job is to run, in full, as clients send it.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/ml/hyperparameters.h"
#include "describe/type.h"

namespace fireweed::api::ml {

enum class ScaleTier { kBasic, kStandard1, kPremium1, kBasicGpu, kBasicTpu, kCustom };

struct ReplicaAccelerator {
  int64_t count = 0;
  std::string type;  // NVIDIA_TESLA_T4
};
struct ReplicaDisk {
  std::string bootDiskType;
  std::optional<int32_t> bootDiskSizeGb;
};
struct ReplicaConfig {
  std::optional<ReplicaAccelerator> acceleratorConfig;
  std::string imageUri, tpuTfVersion;
  std::vector<std::string> containerCommand, containerArgs;
  std::optional<ReplicaDisk> diskConfig;
};

// Durations are text as on the wire: "3600s".
struct JobScheduling {
  std::string maxRunningTime, maxWaitTime;
  std::optional<int32_t> priority;
};
struct EncryptionConfig {
  std::string kmsKeyName;
};

struct TrainingInput {
  ScaleTier scaleTier = ScaleTier::kBasic;
  std::string masterType, workerType, parameterServerType, evaluatorType;
  std::optional<ReplicaConfig> masterConfig, workerConfig, parameterServerConfig, evaluatorConfig;
  std::optional<int64_t> workerCount, parameterServerCount, evaluatorCount;
  std::vector<std::string> packageUris;
  std::string pythonModule;
  std::vector<std::string> args;
  std::optional<HyperparameterSpec> hyperparameters;
  std::string region, jobDir, runtimeVersion, pythonVersion;
  std::optional<EncryptionConfig> encryptionConfig;
  std::optional<bool> useChiefInTfConfig;
  std::optional<JobScheduling> scheduling;
  std::string network, serviceAccount;
  std::optional<bool> enableWebAccess;
  // Ours: any executable of the packages instead of a Python module, with `args` after it.
  std::vector<std::string> command;
  // Ours: a pin on a package that the runtime provides is refused instead of met with a warning.
  std::optional<bool> strict;
};

}  // namespace fireweed::api::ml

namespace fireweed {
template <>
inline constexpr std::string_view kTypeName<api::ml::ScaleTier> = "ScaleTier";
template <>
inline constexpr std::array<std::string_view, 6> kEnumNames<api::ml::ScaleTier>{
    "BASIC", "STANDARD_1", "PREMIUM_1", "BASIC_GPU", "BASIC_TPU", "CUSTOM"};
template <>
inline constexpr std::string_view kTypeName<api::ml::ReplicaAccelerator> =
    "GoogleCloudMlV1__AcceleratorConfig";
template <>
inline constexpr auto kFields<api::ml::ReplicaAccelerator> = [](auto...) {
  return Fields{F("count", &api::ml::ReplicaAccelerator::count),
                F("type", &api::ml::ReplicaAccelerator::type)};
};
template <>
inline constexpr std::string_view kTypeName<api::ml::ReplicaDisk> = "DiskConfig";
template <>
inline constexpr auto kFields<api::ml::ReplicaDisk> = [](auto...) {
  return Fields{F("bootDiskType", &api::ml::ReplicaDisk::bootDiskType),
                F("bootDiskSizeGb", &api::ml::ReplicaDisk::bootDiskSizeGb)};
};
template <>
inline constexpr std::string_view kTypeName<api::ml::ReplicaConfig> = "ReplicaConfig";
template <>
inline constexpr auto kFields<api::ml::ReplicaConfig> = [](auto...) {
  return Fields{F("acceleratorConfig", &api::ml::ReplicaConfig::acceleratorConfig),
                F("imageUri", &api::ml::ReplicaConfig::imageUri),
                F("tpuTfVersion", &api::ml::ReplicaConfig::tpuTfVersion),
                F("containerCommand", &api::ml::ReplicaConfig::containerCommand),
                F("containerArgs", &api::ml::ReplicaConfig::containerArgs),
                F("diskConfig", &api::ml::ReplicaConfig::diskConfig)};
};
template <>
inline constexpr std::string_view kTypeName<api::ml::JobScheduling> = "JobScheduling";
template <>
inline constexpr auto kFields<api::ml::JobScheduling> = [](auto...) {
  return Fields{F("maxRunningTime", &api::ml::JobScheduling::maxRunningTime),
                F("maxWaitTime", &api::ml::JobScheduling::maxWaitTime),
                F("priority", &api::ml::JobScheduling::priority)};
};
template <>
inline constexpr std::string_view kTypeName<api::ml::EncryptionConfig> = "EncryptionConfig";
template <>
inline constexpr auto kFields<api::ml::EncryptionConfig> =
    [](auto...) { return Fields{F("kmsKeyName", &api::ml::EncryptionConfig::kmsKeyName)}; };
template <>
inline constexpr std::string_view kTypeName<api::ml::TrainingInput> = "TrainingInput";
template <>
inline constexpr auto kFields<api::ml::TrainingInput> = [](auto...) {
  return Fields{F("scaleTier", &api::ml::TrainingInput::scaleTier),
                F("masterType", &api::ml::TrainingInput::masterType),
                F("masterConfig", &api::ml::TrainingInput::masterConfig),
                F("workerType", &api::ml::TrainingInput::workerType),
                F("workerConfig", &api::ml::TrainingInput::workerConfig),
                F("parameterServerType", &api::ml::TrainingInput::parameterServerType),
                F("parameterServerConfig", &api::ml::TrainingInput::parameterServerConfig),
                F("evaluatorType", &api::ml::TrainingInput::evaluatorType),
                F("evaluatorConfig", &api::ml::TrainingInput::evaluatorConfig),
                F("workerCount", &api::ml::TrainingInput::workerCount),
                F("parameterServerCount", &api::ml::TrainingInput::parameterServerCount),
                F("evaluatorCount", &api::ml::TrainingInput::evaluatorCount),
                F("packageUris", &api::ml::TrainingInput::packageUris),
                F("pythonModule", &api::ml::TrainingInput::pythonModule),
                F("args", &api::ml::TrainingInput::args),
                F("hyperparameters", &api::ml::TrainingInput::hyperparameters),
                F("region", &api::ml::TrainingInput::region),
                F("jobDir", &api::ml::TrainingInput::jobDir),
                F("runtimeVersion", &api::ml::TrainingInput::runtimeVersion),
                F("pythonVersion", &api::ml::TrainingInput::pythonVersion),
                F("encryptionConfig", &api::ml::TrainingInput::encryptionConfig),
                F("useChiefInTfConfig", &api::ml::TrainingInput::useChiefInTfConfig),
                F("scheduling", &api::ml::TrainingInput::scheduling),
                F("network", &api::ml::TrainingInput::network),
                F("serviceAccount", &api::ml::TrainingInput::serviceAccount),
                F("enableWebAccess", &api::ml::TrainingInput::enableWebAccess),
                F("command", &api::ml::TrainingInput::command),
                F("strict", &api::ml::TrainingInput::strict)};
};
}  // namespace fireweed
