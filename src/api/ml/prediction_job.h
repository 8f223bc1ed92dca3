// Batch prediction: what a job is to read and write, and what came of it.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "describe/type.h"

namespace fireweed::api::ml {

enum class DataFormat { kUnspecified, kJson, kText, kTfRecord, kTfRecordGzip, kCsv };

struct PredictionInput {
  std::string modelName, versionName, uri;
  DataFormat dataFormat = DataFormat::kUnspecified;
  std::optional<DataFormat> outputDataFormat;
  std::vector<std::string> inputPaths;
  std::string outputPath;
  std::optional<int64_t> maxWorkerCount;
  std::string region, runtimeVersion;
  std::optional<int64_t> batchSize;
  std::string signatureName;
};

struct PredictionOutput {
  std::string outputPath;
  int64_t predictionCount = 0, errorCount = 0;
  double nodeHours = 0;
};

}  // namespace fireweed::api::ml

namespace fireweed {
template <>
inline constexpr std::string_view kTypeName<api::ml::DataFormat> = "DataFormat";
template <>
inline constexpr std::array<std::string_view, 6> kEnumNames<api::ml::DataFormat>{
    "DATA_FORMAT_UNSPECIFIED", "JSON", "TEXT", "TF_RECORD", "TF_RECORD_GZIP", "CSV"};
template <>
inline constexpr std::string_view kTypeName<api::ml::PredictionInput> = "PredictionInput";
template <>
inline constexpr auto kFields<api::ml::PredictionInput> = [](auto...) {
  return Fields{F("modelName", &api::ml::PredictionInput::modelName),
                F("versionName", &api::ml::PredictionInput::versionName),
                F("uri", &api::ml::PredictionInput::uri),
                F("dataFormat", &api::ml::PredictionInput::dataFormat),
                F("outputDataFormat", &api::ml::PredictionInput::outputDataFormat),
                F("inputPaths", &api::ml::PredictionInput::inputPaths),
                F("outputPath", &api::ml::PredictionInput::outputPath),
                F("maxWorkerCount", &api::ml::PredictionInput::maxWorkerCount),
                F("region", &api::ml::PredictionInput::region),
                F("runtimeVersion", &api::ml::PredictionInput::runtimeVersion),
                F("batchSize", &api::ml::PredictionInput::batchSize),
                F("signatureName", &api::ml::PredictionInput::signatureName)};
};
template <>
inline constexpr std::string_view kTypeName<api::ml::PredictionOutput> = "PredictionOutput";
template <>
inline constexpr auto kFields<api::ml::PredictionOutput> = [](auto...) {
  return Fields{F("outputPath", &api::ml::PredictionOutput::outputPath),
                F("predictionCount", &api::ml::PredictionOutput::predictionCount),
                F("errorCount", &api::ml::PredictionOutput::errorCount),
                F("nodeHours", &api::ml::PredictionOutput::nodeHours)};
};
}  // namespace fireweed
