#include "ml/replica_instances.h"

#include <algorithm>
#include <cctype>

#include <fmt/format.h>

#include "api/compute/instance_methods.h"
#include "compute/images.h"
#include "compute/insert_instance.h"
#include "compute/instance_change.h"
#include "ml/cluster_config.h"
#include "ml/environments.h"
#include "ml/job_log.h"
#include "ml/job_plan.h"
#include "ml/job_quota.h"
#include "ml/replica_layout.h"
#include "ml/tuning/metric_folder.h"
#include "ml/tuning/trial_run.h"

namespace fireweed::ml {
namespace {

using compute::InstanceRecord;
using compute::InstanceWant;

constexpr const char* kTrainerImage = "projects/debian-cloud/global/images/family/debian-12";
constexpr const char* kScope = "https://www.googleapis.com/auth/cloud-platform";
// Below the ports that the kernel gives out by itself.
constexpr int32_t kFirstPort = 10000, kLastPort = 32000;

std::string Base36(int64_t number) {
  constexpr std::string_view kDigits = "0123456789abcdefghijklmnopqrstuvwxyz";
  std::string text;
  for (uint64_t rest = static_cast<uint64_t>(number); rest > 0 || text.empty(); rest /= 36) {
    text += kDigits[rest % 36];
  }
  std::ranges::reverse(text);
  return text;
}

int32_t TakePorts(Txn& txn, int32_t count) {
  auto row = txn.Find<PortCounter>("next");
  int32_t first = row ? row->value.next : kFirstPort;
  if (first < kFirstPort || first + count > kLastPort) first = kFirstPort;
  txn.Put("next", PortCounter{first + count});
  return first;
}

// Of a job that brings its image. That of the master serves those that name none.
const std::string& ImageUri(const api::ml::TrainingInput& input, ReplicaType type) {
  ReplicaSet set = SetOf(input, type);
  return set.config && !set.config->imageUri.empty() ? set.config->imageUri
                                                     : input.masterConfig->imageUri;
}

compute::ImageRecord FindImage(Txn& txn, const JobRecord& job, const std::string& uri) {
  for (const std::string& reference : ImageCandidates(uri)) {
    try {
      return compute::ResolveUsableImage(txn, reference, job.project);
    } catch (const Failure& failure) {
      if (failure.error().code != Code::kNotFound) throw;
    }
  }
  throw Failure(
      Code::kInvalid,
      fmt::format("The image '{}' is not known here. Register its root as a compute image "
                  "named '{}' first.",
                  uri, compute::ParseImageName(ImageCandidates(uri).back(), job.project).name));
}

api::compute::InsertInstance RequestFor(const JobRecord& job, const Gang& gang,
                                        const Replica& replica, const std::string& image,
                                        bool preemptible) {
  ReplicaSet set = SetOf(*job.job.trainingInput, replica.type);
  api::compute::InsertInstance request{.project = job.project, .zone = job.zone};
  api::compute::Instance& instance = request.body;
  instance.name = replica.instance;
  instance.machineType = fmt::format("zones/{}/machineTypes/{}", job.zone, set.machine.type);
  instance.labels = job.job.labels;
  instance.labels[kHiddenLabel] = "true";
  instance.labels[kJobLabel] = job.job.jobId;
  instance.labels[kTaskLabel] = TaskName(replica.type, replica.index);
  if (!gang.trial.empty()) instance.labels[kTrialLabel] = gang.trial;
  api::compute::AttachedDisk disk{.boot = true, .autoDelete = true};
  disk.initializeParams =
      api::compute::DiskInitializeParams{.sourceImage = image, .labels = {{kHiddenLabel, "true"}}};
  instance.disks.push_back(std::move(disk));
  instance.serviceAccounts = {{job.account, {kScope}}};
  instance.scheduling.automaticRestart = false;
  if (preemptible) instance.scheduling.preemptible = true;
  if (set.machine.accelerators > 0) {
    instance.guestAccelerators.push_back(
        {set.machine.card(), static_cast<int32_t>(set.machine.accelerators)});
  }
  return request;
}

// As Kubernetes has it: a command takes the place of both the image's entrypoint and its command, arguments alone that
// of its command.
std::vector<std::string> ContainerArgv(const api::ml::ReplicaConfig& given,
                                       const std::vector<std::string>& trainer_args,
                                       const compute::ImageRecord& image) {
  std::vector<std::string> argv = given.containerCommand, args = given.containerArgs;
  args.insert(args.end(), trainer_args.begin(), trainer_args.end());
  if (argv.empty()) {
    argv = image.root.container.entrypoint;
    if (args.empty()) args = image.root.container.command;
  }
  argv.insert(argv.end(), args.begin(), args.end());
  if (argv.empty()) {
    throw Failure(Code::kInvalid,
                  fmt::format("The image '{}' does not say what to run, and neither does the job: "
                              "set containerCommand.",
                              image.resource.name));
  }
  return argv;
}

// How a replica in an image of its own is run: what the job says goes before what the image says.
compute::Workload ContainerWorkload(const JobRecord& job, const Gang& gang, const Replica& replica,
                                    const compute::ImageRecord& image) {
  compute::Workload workload;
  workload.argv = ContainerArgv(ContainerOf(*job.job.trainingInput, replica.type),
                                TrainerArgs(job, gang), image);
  workload.directory = image.root.container.directory;
  for (const std::string& variable : image.root.container.environment) {
    size_t equals = variable.find('=');
    if (equals == variable.npos) continue;
    workload.environment[variable.substr(0, equals)] = variable.substr(equals + 1);
  }
  return workload;
}

std::vector<std::string> PackageArgv(const JobRecord& job, const Gang& gang) {
  const api::ml::TrainingInput& input = *job.job.trainingInput;
  std::vector<std::string> args = TrainerArgs(job, gang);
  std::vector<std::string> argv = input.command;
  if (argv.empty()) {
    EnvironmentReady ready{.interpreter = job.prepared->interpreter,
                           .environment = job.prepared->environment};
    return PythonCommand(ready, input.pythonModule, args);
  }
  argv.insert(argv.end(), args.begin(), args.end());
  return argv;
}

// `image`: nullopt for a trainer out of packages.
compute::Workload WorkloadOf(const JobRecord& job, const Gang& gang, size_t index, double cpus,
                             const std::optional<compute::ImageRecord>& image,
                             const std::string& metric_root) {
  const Replica& replica = gang.replicas[index];
  compute::Workload workload = image ? ContainerWorkload(job, gang, replica, *image)
                                     : compute::Workload{.argv = PackageArgv(job, gang)};
  workload.log_marks = true;
  for (const auto& [name, value] : ReplicaEnvironment(job, gang, index, cpus)) {
    workload.environment[name] = value;
  }
  if (job.prepared) {
    for (const auto& [name, value] : job.prepared->environment) workload.environment[name] = value;
    workload.mounts = job.prepared->mounts;
    workload.tree = job.prepared->tree;
  }
  bool reports =
      !gang.trial.empty() && !metric_root.empty() && replica.type == ReplicaType::kMaster;
  if (!reports) return workload;
  std::string folder = MetricFolder(metric_root, job.project, job.job.jobId, gang.trial);
  MakeMetricFolder(folder).value();
  workload.mounts.push_back({.path = folder, .writable = true});
  for (const auto& [name, value] : TrialEnvironment(gang.trial, MetricFile(folder))) {
    workload.environment[name] = value;
  }
  return workload;
}

void Change(Txn& txn, const JobRecord& job, const Replica& replica,
            const std::function<void(InstanceRecord&)>& change) {
  auto row = txn.Find<InstanceRecord>(ReplicaKey(job, replica));
  bool ours = row && row->value.resource.id == replica.instance_id &&
              row->value.want != InstanceWant::kGone;
  if (!ours) return;
  change(row->value);
  txn.Put(row->key, row->value);
}

}  // namespace

Key ReplicaKey(const JobRecord& job, const Replica& replica) {
  return job.project + "/" + job.zone + "/" + replica.instance;
}

void NameReplicas(Txn& txn, const JobRecord& job, Gang& gang, bool own_network) {
  std::string base = "cmle-training-" + Base36(job.number);
  if (!gang.trial.empty()) base += "-" + gang.trial;
  for (Replica& replica : gang.replicas) {
    replica.instance = base + "-" + TaskName(replica.type, replica.index);
  }
  if (!own_network && gang.port == 0) {
    gang.port = TakePorts(txn, static_cast<int32_t>(gang.replicas.size()));
  }
}

int64_t MakeReplica(Txn& txn, const JobRecord& job, const Gang& gang, size_t index,
                    const ReplicaTerms& terms, Time now) {
  const Replica& replica = gang.replicas[index];
  const api::ml::TrainingInput& input = *job.job.trainingInput;
  std::optional<compute::ImageRecord> image;
  if (UsesImage(input)) image = FindImage(txn, job, ImageUri(input, replica.type));
  api::compute::InsertInstance request = RequestFor(
      job, gang, replica, image ? image->resource.selfLink : kTrainerImage, terms.preemptible);
  compute::InsertContext context{.catalogue = terms.catalogue,
                                 .default_account = job.account,
                                 .id = terms.ids.NextNumber(),
                                 .now = now,
                                 .strict = terms.strict};
  // The job holds quota for its replicas since its admission.
  auto complete = [&](InstanceRecord& record) {
    record.workload = WorkloadOf(job, gang, index, record.cpus, image, terms.metric_root);
  };
  return compute::InsertInstance(txn,
                                 {.request = request,
                                  .context = context,
                                  .creator = EmailOf(job.creator),
                                  .complete = complete},
                                 terms.ids)
      .value()
      .resource.id;
}

void CheckImages(Txn& txn, const JobRecord& job) {
  if (!job.job.trainingInput || !UsesImage(*job.job.trainingInput)) return;
  const api::ml::TrainingInput& input = *job.job.trainingInput;
  for (const ReplicaSet& set : LayoutOf(input)) {
    try {
      FindImage(txn, job, ImageUri(input, set.type));
    } catch (const Failure& failure) {
      throw Failure(Code::kInvalid, fmt::format("Field: {}_config.image_uri Error: {}",
                                                TypeWord(set.type), failure.error().message));
    }
  }
}

void RestartReplica(Txn& txn, const JobRecord& job, const Replica& replica) {
  Change(txn, job, replica, [&](InstanceRecord& record) {
    compute::Wish(record, InstanceWant::kRunning);
    record.wanted_boot = replica.boot;
    record.stop_sent = false;
  });
}

void StopReplica(Txn& txn, const JobRecord& job, const Replica& replica) {
  Change(txn, job, replica, [](InstanceRecord& record) {
    if (record.want == InstanceWant::kStopped) return;
    compute::Wish(record, InstanceWant::kStopped);
  });
}

void RemoveReplica(Txn& txn, const JobRecord& job, const Replica& replica) {
  Change(txn, job, replica,
         [](InstanceRecord& record) { compute::Wish(record, InstanceWant::kGone); });
}

std::vector<std::string> ImageCandidates(const std::string& uri) {
  if (uri.starts_with("projects/") || uri.starts_with("https://") || uri.starts_with("global/")) {
    return {uri};
  }
  std::string last = uri.substr(uri.rfind('/') + 1);
  auto plain = [](std::string text) {
    for (char& c : text) {
      auto byte = static_cast<unsigned char>(c);
      c = std::isalnum(byte) ? static_cast<char>(std::tolower(byte)) : '-';
    }
    return "global/images/" + text;
  };
  std::string bare = last.substr(0, last.find_first_of(":@"));
  if (bare == last) return {plain(bare)};
  return {plain(last), plain(bare)};
}

}  // namespace fireweed::ml
