// What can be done with a job that is there.
#include <fmt/format.h>

#include "base/bytes.h"
#include "cli/compute/argument_lists.h"
#include "cli/compute/compute_commands.h"
#include "cli/format/resource_output.h"
#include "cli/grammar.h"
#include "cli/ml/log_follower.h"
#include "cli/ml/ml_commands.h"
#include "cli/ml/ml_session.h"
#include "cli/output.h"

namespace fireweed::cli {
namespace {

constexpr const char* kJobTable =
    "table(jobId.basename(),state:label=STATUS,createTime.date(tz=LOCAL):label=CREATED)";

struct JobCommand {
  MlOptions ml;
  OutputOptions output;
  FollowOptions follow;
  std::string job;
  bool summarize = false;
  std::vector<std::string> update_labels, remove_labels;
  bool clear_labels = false;
  int64_t polling_interval = 0;
};

using Shared = std::shared_ptr<JobCommand>;

std::string Path(const std::string& job) { return "jobs/" + PercentEncode(job); }

void List(const JobCommand& command, const Settings& settings) {
  MlSession session(command.ml, settings);
  std::string text =
      command.output.Text(session.List("jobs", "jobs"), kJobTable, Shape::kList, settings.json);
  if (text.empty() && command.output.format.empty()) session.Say("Listed 0 items.");
  fmt::print("{}", text);
}

// The trials of a tuning job, best first, as the service sorts them.
std::string TrialTable(const JsonTree& output) {
  const JsonTree* trials = output.Find("trials");
  if (!trials || trials->items().empty()) return "";
  Table table({"TRIAL", "OBJECTIVE_VALUE", "TRAINING_STEP", "STATE", "HYPERPARAMETERS"});
  for (const JsonTree& trial : trials->items()) {
    const JsonTree* metric = trial.Find("finalMetric");
    const JsonTree* parameters = trial.Find("hyperparameters");
    table.Add({trial.TextOf("trialId"), metric ? metric->TextOf("objectiveValue") : "",
               metric ? metric->TextOf("trainingStep") : "", trial.TextOf("state"),
               parameters ? OneLine(*parameters, " ") : ""});
  }
  return table.Text();
}

std::string Summary(const JsonTree& job) {
  Table table({"JOB", "STATUS", "CREATED", "ENDED"});
  table.Add(
      {job.TextOf("jobId"), job.TextOf("state"), job.TextOf("createTime"), job.TextOf("endTime")});
  std::string text = table.Text();
  if (const JsonTree* output = job.Find("trainingOutput")) {
    std::string units = output->TextOf("consumedMLUnits");
    if (!units.empty()) text += fmt::format("\nConsumed ML units: {}\n", units);
    std::string trials = TrialTable(*output);
    if (!trials.empty()) text += "\n" + trials;
  }
  return text;
}

void SayTimeline(const MlSession& session, const JsonTree& job) {
  const JsonTree* timeline = job.Find("timeline");
  if (!timeline || timeline->items().empty()) return;
  session.Say("\nTimeline:");
  for (const JsonTree& event : timeline->items())
    session.Say(fmt::format("  {}  {:>8}  {}", event.TextOf("time"), event.TextOf("elapsed"),
                            event.TextOf("what")));
}

void Describe(const JobCommand& command, const Settings& settings) {
  MlSession session(command.ml, settings);
  JsonTree job = session.Job(command.job);
  if (command.summarize) {
    fmt::print("{}", Summary(job));
  } else {
    fmt::print("{}", command.output.Text({job}, "yaml", Shape::kOne, settings.json));
  }
  if (command.output.format.empty()) SayTimeline(session, job);
}

void Cancel(const JobCommand& command, const Settings& settings) {
  MlSession session(command.ml, settings);
  session.Call("POST", Path(command.job) + ":cancel", JsonTree::Object());
  session.Say(fmt::format("Cancelling job [{}].", command.job));
}

// Reads, edits and writes back with the etag; someone else in between means once more.
void Update(const JobCommand& command, const Settings& settings) {
  MlSession session(command.ml, settings);
  if (command.update_labels.empty() && command.remove_labels.empty() && !command.clear_labels)
    throw Failure(Code::kInvalid,
                  "nothing to update: give --update-labels, --remove-labels or --clear-labels");
  for (int attempt = 0;; ++attempt) {
    JsonTree job = session.Job(command.job);
    JsonTree labels = JsonTree::Object();
    if (const JsonTree* now = job.Find("labels"); now && !command.clear_labels) labels = *now;
    for (const auto& [key, value] : SplitPairs(command.update_labels, "--update-labels"))
      labels[key] = JsonTree::Text(value);
    for (const std::string& key : SplitLists(command.remove_labels)) labels.Remove(key);
    JsonTree body = JsonTree::Object();
    body["labels"] = std::move(labels);
    if (!job.TextOf("etag").empty()) body["etag"] = JsonTree::Text(job.TextOf("etag"));
    try {
      JsonTree updated = session.Call("PATCH", Path(command.job) + "?updateMask=labels", body);
      fmt::print("{}", command.output.Text({updated}, "yaml", Shape::kOne, settings.json));
      return;
    } catch (const Failure& failure) {
      if (failure.error().code != Code::kPrecondition || attempt > 4) throw;
    }
  }
}

void StreamLogs(const JobCommand& command, const Settings& settings) {
  MlSession session(command.ml, settings);
  JsonTree job = FollowJob(session, command.job, command.follow);
  if (job.TextOf("state") != "SUCCEEDED") {
    session.Say(fmt::format("Job [{}] ended: {}. {}", command.job, job.TextOf("state"),
                            job.TextOf("errorMessage")));
    throw Exit{1};
  }
}

Command* AddOne(Command& group, const char* word, const char* help, const Shared& options) {
  Command* command = group.AddCommand(word, help);
  command->AddOption("job", options->job, "Name of the job")->Required();
  options->ml.AddTo(*command);
  return command;
}

Shared Make() { return std::make_shared<JobCommand>(); }

void AddUpdate(Command& group, Settings& settings) {
  Shared update = Make();
  Command* command = AddOne(group, "update", "Change the labels of a job", update);
  command->AddOption("--update-labels", update->update_labels, "KEY=VALUE,...")->OneWordEach();
  command->AddOption("--remove-labels", update->remove_labels, "KEY,...")->OneWordEach();
  command->AddFlag("--clear-labels", update->clear_labels, "Remove all labels first");
  update->output.AddTo(*command, Shape::kOne);
  command->OnRun([update, &settings] { Update(*update, settings); });
}

void AddStreamLogs(Command& group, Settings& settings) {
  Shared stream = Make();
  Command* command =
      AddOne(group, "stream-logs", "Show a job's lines as they come, until it has ended", stream);
  command->AddOption("--task-name", stream->follow.task, "Only of this replica");
  command->AddFlag("--allow-multiline-logs", stream->follow.multiline,
                   "A message with line ends stays one entry");
  command->AddOption("--polling-interval", stream->polling_interval,
                     "Accepted for gcloud's sake: lines come without being asked for");
  command->EndHelpWith(
      "Exit status: 0 when the job has succeeded, else 1.\n"
      "Example:\n  fireweed ai-platform jobs stream-logs my_job --task-name=master-replica-0");
  command->OnRun([stream, &settings] { StreamLogs(*stream, settings); });
}

}  // namespace

void AddJobCommands(Command& root, Settings& settings) {
  Command& group = GroupOf(root, "jobs", "Training and batch prediction jobs");
  Shared list = Make();
  Command* command = group.AddCommand("list", "List the jobs of a project");
  list->ml.AddTo(*command);
  list->output.AddTo(*command, Shape::kList);
  command->OnRun([list, &settings] { List(*list, settings); });
  Shared describe = Make();
  command = AddOne(group, "describe", "Show a job and what happened to it", describe);
  command->AddFlag("--summarize", describe->summarize, "Tables instead of the whole resource");
  describe->output.AddTo(*command, Shape::kOne);
  command->OnRun([describe, &settings] { Describe(*describe, settings); });
  Shared cancel = Make();
  command = AddOne(group, "cancel", "End a job before its time", cancel);
  command->OnRun([cancel, &settings] { Cancel(*cancel, settings); });
  AddUpdate(group, settings);
  AddStreamLogs(group, settings);
}

}  // namespace fireweed::cli
