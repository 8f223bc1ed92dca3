#include "ml/cluster_config.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>

#include <fmt/format.h>

#include "describe/json_tree.h"
#include "ml/replica_layout.h"

namespace fireweed::ml {
namespace {

// "scaleTier" as "scale_tier": inside the job they are spelled as in the proto.
std::string SnakeCase(std::string_view camel) {
  std::string out;
  for (char c : camel) {
    if (std::isupper(static_cast<unsigned char>(c))) {
      out += '_';
      out += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    } else {
      out += c;
    }
  }
  return out;
}

JsonTree SnakeKeys(const JsonTree& tree) {
  if (tree.IsList()) {
    JsonTree list = JsonTree::List();
    for (const JsonTree& item : tree.items()) list.Append(SnakeKeys(item));
    return list;
  }
  if (!tree.IsObject()) return tree;
  JsonTree object = JsonTree::Object();
  for (const auto& [key, value] : tree.members()) object[SnakeCase(key)] = SnakeKeys(value);
  return object;
}

std::string ClusterWord(ReplicaType type, bool chief) {
  if (type == ReplicaType::kMaster && chief) return "chief";
  return std::string(TypeWord(type));
}

JsonTree Cluster(const JobRecord& job, const Gang& gang) {
  bool chief = UsesChief(*job.job.trainingInput);
  JsonTree cluster = JsonTree::Object();
  for (size_t i = 0; i < gang.replicas.size(); ++i) {
    ReplicaType type = gang.replicas[i].type;
    if (type == ReplicaType::kEvaluator) continue;
    cluster[ClusterWord(type, chief)].Append(JsonTree::Text(ReplicaAddress(gang, i)));
  }
  return cluster;
}

JsonTree Task(const JobRecord& job, const Gang& gang, size_t replica) {
  const Replica& self = gang.replicas[replica];
  JsonTree task = JsonTree::Object();
  task["type"] = JsonTree::Text(ClusterWord(self.type, UsesChief(*job.job.trainingInput)));
  task["index"] = JsonTree::Number(self.index);
  task["cloud"] = JsonTree::Text("fireweed");
  if (!gang.trial.empty()) task["trial"] = JsonTree::Text(gang.trial);
  return task;
}

JsonTree JobTree(const JobRecord& job) {
  return SnakeKeys(JsonTree::Parse(EncodeJson(*job.job.trainingInput, Audience::kWire)));
}

// "2.8" is 2, 8; what is no version counts as old.
std::pair<int, int> ParseVersion(std::string_view text) {
  int major = 0, minor = 0;
  auto [rest, failed] = std::from_chars(text.data(), text.data() + text.size(), major);
  if (failed != std::errc() || rest == text.data() + text.size()) return {major, 0};
  std::from_chars(rest + 1, text.data() + text.size(), minor);
  return {major, minor};
}

}  // namespace

std::string ReplicaAddress(const Gang& gang, size_t replica) {
  if (gang.port != 0) return fmt::format("127.0.0.1:{}", gang.port + static_cast<int>(replica));
  return fmt::format("{}:{}", gang.replicas[replica].instance, kReplicaPort);
}

bool UsesChief(const api::ml::TrainingInput& input) {
  bool image = input.masterConfig && !input.masterConfig->imageUri.empty();
  if (input.useChiefInTfConfig) return *input.useChiefInTfConfig;
  return !image && ParseVersion(input.runtimeVersion) >= std::pair(2, 1);
}

std::string TfConfig(const JobRecord& job, const Gang& gang, size_t replica) {
  JsonTree config = JsonTree::Object();
  config["cluster"] = Cluster(job, gang);
  config["task"] = Task(job, gang, replica);
  config["environment"] = JsonTree::Text("cloud");
  config["job"] = JobTree(job);
  return config.Compact();
}

std::string ClusterSpec(const JobRecord& job, const Gang& gang, size_t replica) {
  JsonTree config = JsonTree::Object();
  config["cluster"] = Cluster(job, gang);
  config["task"] = Task(job, gang, replica);
  config["environment"] = JsonTree::Text("cloud");
  config["job"] = JsonTree::Text(JobTree(job).Compact());
  return config.Compact();
}

std::string GangJobDir(const JobRecord& job, const Gang& gang) {
  const std::string& whole = job.job.trainingInput->jobDir;
  if (whole.empty() || gang.trial.empty()) return whole;
  return fmt::format("{}{}{}", whole, whole.ends_with('/') ? "" : "/", gang.trial);
}

std::vector<std::string> TrainerArgs(const JobRecord& job, const Gang& gang) {
  std::vector<std::string> args = job.job.trainingInput->args;
  for (const auto& [name, value] : gang.hyperparameters) {
    args.push_back(fmt::format("--{}={}", name, value));
  }
  if (std::string directory = GangJobDir(job, gang); !directory.empty()) {
    args.push_back("--job-dir");
    args.push_back(directory);
  }
  return args;
}

std::map<std::string, std::string> ReplicaEnvironment(const JobRecord& job, const Gang& gang,
                                                      size_t replica, double cpus) {
  const api::ml::TrainingInput& input = *job.job.trainingInput;
  std::string threads = std::to_string(std::max(1, static_cast<int>(std::floor(cpus))));
  std::map<std::string, std::string> variables{
      {"TF_CONFIG", TfConfig(job, gang, replica)},
      {"CLUSTER_SPEC", ClusterSpec(job, gang, replica)},
      {"CLOUD_ML_JOB", JobTree(job).Compact()},
      {"CLOUD_ML_JOB_ID", job.job.jobId},
      {"CLOUD_ML_PROJECT_ID", job.project},
      {"CLOUD_ML_REGION", input.region},
      {"GOOGLE_CLOUD_PROJECT", job.project},
      {"GOOGLE_CLOUD_DISABLE_DIRECT_PATH", "true"},
      {"OMP_NUM_THREADS", threads},
      {"OPENBLAS_NUM_THREADS", threads},
      {"MKL_NUM_THREADS", threads},
      {"TF_NUM_INTRAOP_THREADS", threads},
      {"TF_NUM_INTEROP_THREADS", threads},
      {"PYTHONUNBUFFERED", "1"},
  };
  if (std::string directory = GangJobDir(job, gang); !directory.empty()) {
    variables["AIP_MODEL_DIR"] = directory + (directory.ends_with('/') ? "model/" : "/model/");
    variables["AIP_CHECKPOINT_DIR"] =
        directory + (directory.ends_with('/') ? "checkpoints/" : "/checkpoints/");
    variables["AIP_TENSORBOARD_LOG_DIR"] =
        directory + (directory.ends_with('/') ? "logs/" : "/logs/");
  }
  bool late = gang.replicas[replica].type != ReplicaType::kMaster && job.job.createTime;
  if (std::string directory = GangJobDir(job, gang); late && !directory.empty()) {
    // For runtimes/shims: the chief may have written there before this replica clears the directory.
    variables["FIREWEED_JOB_DIR"] = directory;
    variables["FIREWEED_JOB_CREATED"] = fmt::format(
        "{:.3f}", std::chrono::duration<double>(job.job.createTime->time_since_epoch()).count());
  }
  if (!gang.trial.empty()) variables["CLOUD_ML_TRIAL_ID"] = gang.trial;
  if (input.hyperparameters) {
    variables["CLOUD_ML_HP_METRIC_TAG"] = input.hyperparameters->hyperparameterMetricTag;
  }
  return variables;
}

}  // namespace fireweed::ml
