// `fireweed ai-platform jobs submit training`: packages built and uploaded, then the job.
#include <filesystem>
#include <fstream>
#include <sstream>

#include <fmt/format.h>

#include "base/bytes.h"
#include "base/checksum.h"
#include "cli/compute/argument_lists.h"
#include "cli/compute/compute_commands.h"
#include "cli/compute/compute_session.h"
#include "cli/format/resource_output.h"
#include "cli/grammar.h"
#include "cli/ml/job_flags.h"
#include "cli/ml/log_follower.h"
#include "cli/ml/ml_commands.h"
#include "cli/ml/ml_session.h"
#include "cli/ml/package_build.h"
#include "cli/storage/storage_url.h"
#include "client/storage_client.h"
#include "describe/json_codec.h"

namespace fireweed::cli {
namespace {

struct SubmitCommand {
  MlOptions ml;
  JobFlags flags;
  OutputOptions output;
  bool stream_logs = false, async = false;
};

std::string ReadFile(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  if (!in) throw Failure(Code::kNotFound, fmt::format("cannot read {}", path));
  return text.str();
}

// Where packages go: gs://BUCKET/JOB with a staging bucket, else JOB_DIR/packages.
StorageUrl StagingPlace(const JobFlags& flags, const std::string& job_dir) {
  if (!flags.staging_bucket.empty()) {
    std::string text = flags.staging_bucket;
    if (!text.starts_with("gs://")) text = "gs://" + text;
    return StorageUrl::Parse(text).Under(flags.job);
  }
  if (job_dir.empty())
    throw Failure(Code::kInvalid,
                  "If local packages are provided, the `--staging-bucket` or `--job-dir` flag "
                  "must be given.");
  return StorageUrl::Parse(job_dir).Under("packages");
}

std::string UploadFile(StorageClient& client, const StorageUrl& place, const std::string& path) {
  std::string bytes = ReadFile(path);
  StorageUrl target = place.Under(HexEncode(Hash(Digest::kSha256, bytes)))
                          .Under(std::filesystem::path(path).filename().string());
  UploadSpec spec{.bucket = target.bucket, .name = target.name};
  spec.metadata = JsonTree::Object();
  spec.metadata["contentType"] = JsonTree::Text("application/x-tar");
  client.Upload(spec, bytes);
  return target.Text();
}

std::vector<std::string> LocalArchives(const JobFlags& flags, const ScratchDirectory& scratch,
                                       const MlSession& session) {
  std::vector<std::string> archives;
  for (const std::string& package : SplitLists(flags.packages)) {
    if (!package.starts_with("gs://")) archives.push_back(package);
  }
  if (flags.package_path.empty()) return archives;
  if (!flags.command.empty()) {
    archives.push_back(PackDirectory(flags.package_path, scratch));
    return archives;
  }
  session.Say(fmt::format("Building [{}].", flags.package_path));
  std::vector<std::string> built = BuildPackage(flags.package_path, scratch);
  archives.insert(archives.end(), built.begin(), built.end());
  return archives;
}

// gs:// addresses of all packages, those that were there already first.
std::vector<std::string> StagePackages(const JobFlags& flags, const std::string& job_dir,
                                       const MlSession& session, const Settings& settings) {
  std::vector<std::string> uris;
  for (const std::string& package : SplitLists(flags.packages)) {
    if (package.starts_with("gs://")) uris.push_back(package);
  }
  const Environment& environment = settings.context->environment;
  auto temporary = environment.find("TMPDIR");
  ScratchDirectory scratch(temporary == environment.end()
                               ? std::filesystem::temp_directory_path().string()
                               : temporary->second);
  std::vector<std::string> archives = LocalArchives(flags, scratch, session);
  if (archives.empty()) return uris;
  StorageUrl place = StagingPlace(flags, job_dir);
  StorageClient client(settings.Daemon(), ReadOwner(settings.State()));
  for (const std::string& archive : archives) uris.push_back(UploadFile(client, place, archive));
  return uris;
}

// What gcloud prints of a job that was submitted.
JsonTree Brief(const JsonTree& job) {
  JsonTree brief = JsonTree::Object();
  for (const char* key : {"endTime", "jobId", "startTime", "state"}) {
    if (const JsonTree* value = job.Find(key)) brief[key] = *value;
  }
  return brief;
}

api::ml::Job ReadConfig(const std::string& path) {
  try {
    return JobFromConfig(ReadFile(path));
  } catch (const Failure& failure) {
    Error error = failure.error();
    if (error.code == Code::kInvalid) error.message = fmt::format("{}: {}", path, error.message);
    throw Failure(error);
  }
}

void Submit(const SubmitCommand& command, const Settings& settings) {
  const JobFlags& flags = command.flags;
  flags.Check();
  api::ml::Job config;
  if (!flags.config.empty()) config = ReadConfig(flags.config);
  MlSession session(command.ml, settings);
  std::string job_dir = !flags.job_dir.empty() ? flags.job_dir
                        : config.trainingInput ? config.trainingInput->jobDir
                                               : "";
  std::vector<std::string> packages = StagePackages(flags, job_dir, session, settings);
  api::ml::Job job = MakeJob(flags, std::move(config), packages);
  if (job.trainingInput->region.empty())
    job.trainingInput->region = RegionOf(settings.Daemon().zone);
  JsonTree made = session.Call("POST", "jobs", JsonTree::Parse(EncodeJson(job, Audience::kWire)));
  session.Say(fmt::format("Job [{}] submitted successfully.", flags.job));
  if (const JsonTree* warnings = made.Find("warnings")) {
    for (const JsonTree& warning : warnings->items()) session.Say("warning: " + warning.text());
  }
  if (!command.stream_logs) {
    session.Say(fmt::format(
        "Your job is still active. You may view the status of your job with the command\n\n"
        "  $ fireweed ai-platform jobs describe {0}\n\n"
        "or continue streaming the logs with the command\n\n"
        "  $ fireweed ai-platform jobs stream-logs {0}",
        flags.job));
    fmt::print("{}", command.output.Text({command.output.format.empty() ? Brief(made) : made},
                                         "yaml", Shape::kOne, settings.json));
    return;
  }
  JsonTree ended = FollowJob(session, flags.job, {});
  fmt::print("{}", command.output.Text({command.output.format.empty() ? Brief(ended) : ended},
                                       "yaml", Shape::kOne, settings.json));
  if (ended.TextOf("state") == "SUCCEEDED") return;
  session.Say(fmt::format("Job [{}] ended: {}. {}", flags.job, ended.TextOf("state"),
                          ended.TextOf("errorMessage")));
  throw Exit{1};
}

}  // namespace

void AddSubmitCommands(Command& root, Settings& settings) {
  Command& group = GroupOf(root, "jobs submit", "Submit a job");
  auto submit = std::make_shared<SubmitCommand>();
  Command* command = group.AddCommand("training", "Submit a training job");
  submit->flags.AddTo(*command);
  submit->ml.AddTo(*command);
  Flag* stream =
      command->AddFlag("--stream-logs", submit->stream_logs, "Show its lines and end with it");
  command->AddFlag("--async", submit->async, "Do not wait; so it is without --stream-logs")
      ->Excludes(stream);
  submit->output.AddTo(*command, Shape::kOne);
  command->EndHelpWith(
      "Examples:\n"
      "  fireweed ai-platform jobs submit training j1 --package-path trainer/ --module-name "
      "trainer.task \\\n    --job-dir gs://my-bucket/j1 --stream-logs -- --epochs=3\n"
      "  fireweed ai-platform jobs submit training j2 --package-path . --command ./train.sh "
      "--job-dir gs://my-bucket/j2");
  command->OnRun([submit, &settings] { Submit(*submit, settings); });
}

}  // namespace fireweed::cli
