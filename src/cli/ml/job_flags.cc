#include "cli/ml/job_flags.h"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

#include "base/error.h"
#include "cli/compute/argument_lists.h"
#include "cli/grammar.h"
#include "describe/json_codec.h"

namespace fireweed::cli {
namespace {

using api::ml::Job;
using api::ml::ReplicaConfig;
using api::ml::TrainingInput;

// "basic-gpu" and "BASIC_GPU" are the same name.
std::string UpperWord(std::string text) {
  for (char& c : text) c = c == '-' ? '_' : static_cast<char>(std::toupper(c));
  return text;
}

api::ml::ScaleTier TierOf(const std::string& text) {
  std::string wanted = UpperWord(text);
  const auto& names = kEnumNames<api::ml::ScaleTier>;
  auto found = std::find(names.begin(), names.end(), wanted);
  if (found == names.end())
    throw Failure(Code::kInvalid, fmt::format("--scale-tier: no such tier: {} (there are {})", text,
                                              fmt::join(names, ", ")));
  return static_cast<api::ml::ScaleTier>(found - names.begin());
}

// "count=2,type=nvidia-tesla-t4".
api::ml::ReplicaAccelerator AcceleratorOf(const std::string& text, std::string_view flag) {
  std::map<std::string, std::string> parts = SplitRecord(text);
  api::ml::ReplicaAccelerator accelerator{1, UpperWord(parts["type"])};
  std::string count = parts.count("count") ? parts["count"] : "1";
  auto [end, error] = std::from_chars(count.data(), count.data() + count.size(), accelerator.count);
  bool sound = error == std::errc() && end == count.data() + count.size();
  if (accelerator.type.empty() || !sound || accelerator.count < 1)
    throw Failure(Code::kInvalid, fmt::format("{}: must be type=TYPE,count=COUNT", flag));
  return accelerator;
}

void Apply(const ReplicaFlags& flags, std::string_view name, std::string& type,
           std::optional<ReplicaConfig>& config, std::optional<int64_t>* count) {
  if (!flags.machine_type.empty()) type = flags.machine_type;
  if (count && flags.count) *count = flags.count;
  if (flags.accelerator.empty() && flags.image.empty()) return;
  if (!config) config.emplace();
  if (!flags.accelerator.empty())
    config->acceleratorConfig =
        AcceleratorOf(flags.accelerator, fmt::format("--{}-accelerator", name));
  if (!flags.image.empty()) config->imageUri = flags.image;
}

void AddReplica(Command& command, const std::string& name, ReplicaFlags& flags, bool count) {
  command.AddOption(fmt::format("--{}-machine-type", name), flags.machine_type,
                    fmt::format("Machine type of the {}; needs --scale-tier=CUSTOM", name));
  command.AddOption(fmt::format("--{}-accelerator", name), flags.accelerator,
                    "type=TYPE,count=COUNT");
  command.AddOption(fmt::format("--{}-image-uri", name), flags.image,
                    "Container image instead of packages");
  if (count)
    command.AddOption(fmt::format("--{}-count", name), flags.count, "How many")->NotNegative();
}

void Set(std::string& field, const std::string& flag) {
  if (!flag.empty()) field = flag;
}

}  // namespace

void JobFlags::AddTo(Command& line) {
  line.AddOption("job", job, "Name of the job: letters, digits and _")->Required();
  line.AddOption("user_args", user_args, "Arguments of the trainer, after --");
  line.AddOption("--config", config, "File with a job, YAML or JSON; flags win");
  line.AddOption("--package-path", package_path, "Directory of the trainer's package");
  line.AddOption("--packages", packages, "Archives, here or in gs://: A,B")->OneWordEach();
  line.AddOption("--module-name", module, "Module to run: trainer.task");
  line.AddOption("--command", command,
                 "Program to run instead of a Python module, with --package-path as its directory")
      ->OneWordEach();
  line.AddOption("--staging-bucket", staging_bucket, "Where packages are uploaded: gs://BUCKET");
  line.AddOption("--job-dir", job_dir, "gs:// directory for the trainer's output");
  line.AddOption("--scale-tier", scale_tier, "basic, standard-1, premium-1, basic-gpu, custom");
  line.AddOption("--region", region, "Region (default: that of the daemon's zone)");
  line.AddOption("--runtime-version", runtime_version, "Runtime: 1.15, 2.11; see the guide");
  line.AddOption("--python-version", python_version, "Version of Python");
  line.AddOption("--service-account", service_account, "Account that the trainer acts as");
  line.AddOption("--network", network, "Network to be peered with");
  line.AddOption("--kms-key", kms_key, "Name of the key that protects the job");
  line.AddOption("--labels", labels, "KEY=VALUE,...")->OneWordEach();
  AddReplica(line, "master", master, false);
  AddReplica(line, "worker", worker, true);
  AddReplica(line, "parameter-server", server, true);
  line.AddFlag("--use-chief-in-tf-config,!--no-use-chief-in-tf-config", use_chief,
               "Call the master \"chief\" in TF_CONFIG");
  line.AddFlag("--enable-web-access", web_access, "Ask for a shell in the replicas");
  line.AddFlag("--strict", strict, "Refuse a pin that the runtime meets with another version");
}

void JobFlags::Check() const {
  if (!command.empty() && !module.empty())
    throw Failure(Code::kInvalid, "--command and --module-name exclude one another");
  if (!command.empty() && package_path.empty() && packages.empty())
    throw Failure(Code::kInvalid,
                  "--command needs --package-path, the directory that the program is in");
  if (!master.image.empty() && (!module.empty() || !package_path.empty() || !packages.empty()))
    throw Failure(Code::kInvalid,
                  "--master-image-uri excludes --module-name, --package-path and --packages");
}

Job JobFromConfig(std::string_view yaml) {
  DecodeRules rules{.unknown = UnknownFields::kRefuse, .lenient_scalars = true};
  try {
    return DecodeJson<Job>(YamlToJson(yaml), rules);
  } catch (const Failure& failure) {
    // The words for requests: here a person wrote the file, and not in JSON.
    constexpr std::string_view kRequest = "Invalid JSON payload received. ";
    Error error = failure.error();
    if (error.message.starts_with(kRequest)) error.message.erase(0, kRequest.size());
    throw Failure(error);
  }
}

Job MakeJob(const JobFlags& flags, Job config, const std::vector<std::string>& packages) {
  Job job = std::move(config);
  job.jobId = flags.job;
  if (!job.trainingInput) job.trainingInput.emplace();
  TrainingInput& input = *job.trainingInput;
  if (!flags.scale_tier.empty()) input.scaleTier = TierOf(flags.scale_tier);
  if (!packages.empty()) input.packageUris = packages;
  Set(input.pythonModule, flags.module);
  Set(input.region, flags.region);
  Set(input.jobDir, flags.job_dir);
  Set(input.runtimeVersion, flags.runtime_version);
  Set(input.pythonVersion, flags.python_version);
  Set(input.serviceAccount, flags.service_account);
  Set(input.network, flags.network);
  if (!flags.user_args.empty()) input.args = flags.user_args;
  if (!flags.command.empty()) input.command = flags.command;
  if (!flags.kms_key.empty()) input.encryptionConfig = {flags.kms_key};
  if (flags.use_chief) input.useChiefInTfConfig = true;
  if (flags.web_access) input.enableWebAccess = true;
  if (flags.strict) input.strict = true;
  Apply(flags.master, "master", input.masterType, input.masterConfig, nullptr);
  Apply(flags.worker, "worker", input.workerType, input.workerConfig, &input.workerCount);
  Apply(flags.server, "parameter-server", input.parameterServerType, input.parameterServerConfig,
        &input.parameterServerCount);
  for (const auto& [key, value] : SplitPairs(flags.labels, "--labels")) job.labels[key] = value;
  return job;
}

}  // namespace fireweed::cli
