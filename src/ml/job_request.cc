#include "ml/job_request.h"

#include <algorithm>
#include <cctype>

#include <fmt/format.h>

#include "base/error.h"
#include "ml/job_plan.h"
#include "ml/replica_layout.h"
#include "ml/tuning/search_space.h"

namespace fireweed::ml {
namespace {

using api::ml::ScaleTier;
using api::ml::TrainingInput;

constexpr size_t kLongestName = 128, kMostLabels = 64;
constexpr int64_t kLongestLabel = 63;
constexpr size_t kMostArgumentBytes = 128 << 10;

[[noreturn]] void Refuse(std::string_view field, std::string_view why) {
  throw Failure(Code::kInvalid, fmt::format("Field: {} Error: {}", field, why));
}

bool IsWordByte(unsigned char c) { return std::isalnum(c) || c == '_'; }

void CheckName(const std::string& id) {
  bool good = !id.empty() && id.size() <= kLongestName &&
              std::isalpha(static_cast<unsigned char>(id[0])) &&
              std::ranges::all_of(id, IsWordByte);
  if (good) return;
  Refuse("job.job_id",
         "A name should start with a letter and contain only letters, numbers and underscores.");
}

void CheckRegion(std::string_view field, const std::string& region) {
  if (region.empty()) Refuse(field, "A region is required.");
  if (compute::Catalogue::HasRegion(region)) return;
  Refuse(field, fmt::format("The region {} is not known here. Known are: {}.", region,
                            fmt::join(compute::Catalogue::RegionNames(), ", ")));
}

// One of the four kinds of replicas, as CUSTOM names it.
struct Part {
  std::string_view word;  // "worker"
  const std::string& type;
  std::optional<int64_t> count;  // of the master: none
  const std::optional<api::ml::ReplicaConfig>& config;
};

void CheckMachine(const Part& part, const compute::Catalogue& catalogue) {
  std::string field = fmt::format("{}_type", part.word);
  if (part.type == "cloud_tpu") Refuse(field, "There are no TPUs here.");
  std::optional<ReplicaMachine> machine = FindReplicaMachine(part.type);
  if (!machine || !catalogue.FindShape(machine->type)) {
    Refuse(field, fmt::format("The machine type {} is not known here.", part.type));
  }
}

void CheckConfig(const Part& part, const compute::Catalogue& catalogue) {
  if (!part.config) return;
  std::string field = fmt::format("{}_config", part.word);
  if (!part.config->tpuTfVersion.empty()) {
    Refuse(field + ".tpu_tf_version", "There are no TPUs here.");
  }
  if (!part.config->acceleratorConfig) return;
  const api::ml::ReplicaAccelerator& cards = *part.config->acceleratorConfig;
  if (cards.count < 1 || cards.count > 16) {
    Refuse(field + ".accelerator_config.count", "Must be between 1 and 16.");
  }
  const std::vector<std::string>& here = catalogue.host().accelerators;
  std::string type = ReplicaMachine{.accelerator = cards.type}.card();
  if (!cards.type.starts_with("NVIDIA_TESLA_") && std::ranges::find(here, type) == here.end()) {
    Refuse(field + ".accelerator_config.type",
           fmt::format("The accelerator type {} is not offered here.", cards.type));
  }
}

void CheckPart(const Part& part, bool custom, const compute::Catalogue& catalogue) {
  CheckConfig(part, catalogue);
  bool master = part.word == "master";
  if (!custom) {
    if (!part.type.empty()) {
      Refuse(fmt::format("{}_type", part.word), "Can be set only when scale_tier is CUSTOM.");
    }
    if (part.count.value_or(0) != 0) {
      Refuse(fmt::format("{}_count", part.word), "Can be set only when scale_tier is CUSTOM.");
    }
    return;
  }
  int64_t count = master ? 1 : part.count.value_or(0);
  if (count < 0) Refuse(fmt::format("{}_count", part.word), "Must not be negative.");
  if (count > 0 && part.type.empty()) {
    Refuse(fmt::format("{}_type", part.word),
           master ? "Must be set when scale_tier is CUSTOM."
                  : fmt::format("Must be set when {}_count is.", part.word));
  }
  if (!part.type.empty()) CheckMachine(part, catalogue);
}

void CheckReplicas(const TrainingInput& input, const compute::Catalogue& catalogue) {
  if (input.scaleTier == ScaleTier::kBasicTpu) {
    Refuse("scale_tier", "BASIC_TPU is not offered: there are no TPUs here.");
  }
  bool custom = input.scaleTier == ScaleTier::kCustom;
  for (const Part& part :
       {Part{"master", input.masterType, std::nullopt, input.masterConfig},
        Part{"worker", input.workerType, input.workerCount, input.workerConfig},
        Part{"parameter_server", input.parameterServerType, input.parameterServerCount,
             input.parameterServerConfig},
        Part{"evaluator", input.evaluatorType, input.evaluatorCount, input.evaluatorConfig}}) {
    CheckPart(part, custom, catalogue);
  }
  int64_t all = 0;
  for (const ReplicaSet& set : LayoutOf(input)) {
    if (set.count > kMostReplicas) Refuse("worker_count", "Too many replicas.");
    all += set.count;
  }
  if (all > kMostReplicas) {
    Refuse("worker_count", fmt::format("A job has at most {} replicas.", kMostReplicas));
  }
  // Replicas wait for cards, and those of one job would wait for each other.
  for (const auto& [type, count] : DemandOf(input, catalogue).cards) {
    int64_t here = std::ranges::count(catalogue.host().accelerators, type);
    if (count <= here) continue;
    Refuse("worker_count", fmt::format("The replicas need {} x {} at once; this machine has {}.",
                                       count, type, here));
  }
}

void CheckImage(const TrainingInput& input) {
  bool python = !input.pythonModule.empty() || !input.packageUris.empty() || !input.command.empty();
  if (python) {
    Refuse("master_config.image_uri",
           "An image and a Python module or packages exclude each other.");
  }
}

void CheckProgram(const TrainingInput& input) {
  if (UsesImage(input)) return CheckImage(input);
  if (input.packageUris.empty()) Refuse("package_uris", "At least one package is required.");
  for (const std::string& uri : input.packageUris) {
    if (!uri.starts_with("gs://") || uri.find('/', 5) == uri.npos) {
      Refuse("package_uris", fmt::format("'{}' is no object of Cloud Storage.", uri));
    }
  }
  if (input.pythonModule.empty() == input.command.empty()) {
    Refuse("python_module", input.command.empty() ? "The module to run is required."
                                                  : "A module and a command exclude each other.");
  }
}

void CheckTimes(const TrainingInput& input) {
  if (!input.scheduling) return;
  auto check = [](std::string_view field, const std::string& text) {
    if (text.empty() || ParseSeconds(text)) return;
    Refuse(field, fmt::format("'{}' is no duration in seconds, like 3600s.", text));
  };
  check("scheduling.max_running_time", input.scheduling->maxRunningTime);
  check("scheduling.max_wait_time", input.scheduling->maxWaitTime);
  int32_t priority = input.scheduling->priority.value_or(0);
  if (priority < 0 || priority > 1000) {
    Refuse("scheduling.priority", "Must be between 0 and 1000.");
  }
}

void CheckTraining(const TrainingInput& input, const compute::Catalogue& catalogue) {
  CheckRegion("region", input.region);
  if (!input.network.empty()) {
    Refuse("network",
           "Peered networks are not offered here: replicas reach each other as they are.");
  }
  if (input.encryptionConfig && !input.encryptionConfig->kmsKeyName.empty()) {
    Refuse("encryption_config", "Disks of replicas are not kept under keys here.");
  }
  if (input.enableWebAccess.value_or(false)) {
    Refuse("enable_web_access", "Interactive shells are not offered here.");
  }
  CheckReplicas(input, catalogue);
  CheckProgram(input);
  CheckTimes(input);
  bool named =
      input.jobDir.starts_with("gs://") && input.jobDir.size() > 5 && input.jobDir[5] != '/';
  if (!input.jobDir.empty() && !named) {
    Refuse("job_dir", fmt::format("'{}' is no directory of Cloud Storage.", input.jobDir));
  }
  size_t bytes = 0;
  for (const std::string& arg : input.args) bytes += arg.size() + 1;
  if (bytes > kMostArgumentBytes) Refuse("args", "The arguments are too long.");
  if (!input.hyperparameters) return;
  std::vector<SpecViolation> wrong = CheckTuning(*input.hyperparameters);
  if (!wrong.empty()) Refuse(wrong.front().field, wrong.front().description);
}

void CheckPrediction(const api::ml::PredictionInput& input) {
  int sources = !input.modelName.empty() + !input.versionName.empty() + !input.uri.empty();
  if (sources != 1) {
    Refuse("prediction_input", "Exactly one of model_name, version_name and uri is required.");
  }
  CheckRegion("prediction_input.region", input.region);
  if (input.dataFormat == api::ml::DataFormat::kUnspecified) {
    Refuse("prediction_input.data_format", "A data format is required.");
  }
  if (input.inputPaths.empty()) {
    Refuse("prediction_input.input_paths", "At least one path is required.");
  }
  for (const std::string& path : input.inputPaths) {
    if (!path.starts_with("gs://")) {
      Refuse("prediction_input.input_paths",
             fmt::format("'{}' is no path of Cloud Storage.", path));
    }
  }
  if (!input.outputPath.starts_with("gs://")) {
    Refuse("prediction_input.output_path", "A path of Cloud Storage is required.");
  }
  if (input.batchSize.value_or(1) < 1) Refuse("prediction_input.batch_size", "Must be positive.");
  if (input.maxWorkerCount.value_or(1) < 0) {
    Refuse("prediction_input.max_worker_count", "Must not be negative.");
  }
}

}  // namespace

void CheckLabels(const std::map<std::string, std::string>& labels) {
  auto letter = [](unsigned char c) { return std::islower(c) || c >= 0x80; };
  auto fine = [&](unsigned char c) { return letter(c) || std::isdigit(c) || c == '_' || c == '-'; };
  // Characters, not bytes: those that go on with a character do not count.
  auto length = [](std::string_view text) {
    return std::ranges::count_if(text, [](unsigned char c) { return (c & 0xC0) != 0x80; });
  };
  if (labels.size() > kMostLabels) Refuse("labels", "At most 64 labels are allowed.");
  for (const auto& [key, value] : labels) {
    bool good = !key.empty() && letter(static_cast<unsigned char>(key[0])) &&
                length(key) <= kLongestLabel && length(value) <= kLongestLabel &&
                std::ranges::all_of(key, fine) && std::ranges::all_of(value, fine);
    if (!good) {
      Refuse("labels", fmt::format("'{}={}': lower-case letters, digits, '_' and '-', at most 63, "
                                   "and a letter first.",
                                   key, value));
    }
  }
}

void CheckRuntime(const api::ml::Job& job, const RuntimeTable& runtimes) {
  if (!job.trainingInput || UsesImage(*job.trainingInput)) return;
  const TrainingInput& input = *job.trainingInput;
  if (runtimes.Find(RuntimeVersionOf(input))) return;
  Refuse("runtime_version",
         fmt::format("The specified runtime version '{}' with the Python version '{}' is not "
                     "supported or is deprecated.  Please specify a different runtime version. "
                     "Supported here are: {}.",
                     RuntimeVersionOf(input), input.pythonVersion,
                     fmt::join(runtimes.Versions(), ", ")));
}

void CheckJob(const api::ml::Job& job, const compute::Catalogue& catalogue) {
  CheckName(job.jobId);
  CheckLabels(job.labels);
  if (job.trainingInput.has_value() == job.predictionInput.has_value()) {
    Refuse("job", "Exactly one of training_input and prediction_input is required.");
  }
  if (job.trainingInput) CheckTraining(*job.trainingInput, catalogue);
  if (job.predictionInput) CheckPrediction(*job.predictionInput);
}

}  // namespace fireweed::ml
