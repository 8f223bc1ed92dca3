#include <fmt/format.h>

#include "base/error.h"
#include "cli/compute/argument_lists.h"
#include "cli/compute/compute_commands.h"
#include "cli/compute/compute_session.h"
#include "cli/format/resource_output.h"
#include "cli/grammar.h"
#include "cli/ml/batch_flags.h"
#include "cli/ml/ml_session.h"

namespace fireweed::cli {
namespace {

struct BatchCommand {
  MlOptions ml;
  BatchFlags flags;
  OutputOptions output;
};

void Put(JsonTree& object, std::string_view key, const std::string& text) {
  if (!text.empty()) object[key] = JsonTree::Text(text);
}

void PutNumber(JsonTree& object, std::string_view key, int64_t number) {
  if (number > 0) object[key] = JsonTree::Text(std::to_string(number));
}

// "tf-record" is TF_RECORD.
std::string Format(std::string text) {
  for (char& c : text) c = c == '-' ? '_' : static_cast<char>(std::toupper(c));
  return text;
}

void Submit(BatchCommand& command, const Settings& settings) {
  MlSession session(command.ml, settings);
  if (command.flags.region.empty()) command.flags.region = RegionOf(settings.Daemon().zone);
  JsonTree made = session.Call("POST", "jobs", command.flags.Job(session.project()));
  session.Say(fmt::format("Job [{}] submitted successfully.", command.flags.job));
  JsonTree brief = JsonTree::Object();
  for (const char* key : {"jobId", "state"}) brief[key] = JsonTree::Text(made.TextOf(key));
  fmt::print("{}", command.output.Text({command.output.format.empty() ? brief : made}, "yaml",
                                       Shape::kOne, settings.json));
}

}  // namespace

void BatchFlags::AddTo(Command& command) {
  command.AddOption("job", job, "Name of the job")->Required();
  Flag* directory =
      command.AddOption("--model-dir", model_dir, "A model in a bucket, without a version");
  Flag* named = command.AddOption("--model", model, "A model")->Excludes(directory);
  command.AddOption("--version", version, "One of its versions; else the default")->Needs(named);
  command.AddOption("--data-format", data_format, "text, json, tf-record or tf-record-gzip")
      ->Required();
  command.AddOption("--input-paths", input_paths, "gs://..., with * at the end; repeatable")
      ->Required()
      ->OneWordEach();
  command.AddOption("--output-path", output_path, "gs:// directory for the answers")->Required();
  command.AddOption("--region", region, "Region");
  command.AddOption("--runtime-version", runtime_version, "For --model-dir");
  command.AddOption("--signature-name", signature, "Which of the model's signatures");
  command.AddOption("--max-worker-count", max_workers, "At most so many at a time");
  command.AddOption("--batch-size", batch_size, "Instances computed together");
  command.AddOption("--labels", labels, "KEY=VALUE,...")->OneWordEach();
}

JsonTree BatchFlags::Job(const std::string& project) const {
  if (model.empty() == model_dir.empty())
    throw Failure(Code::kInvalid, "Exactly one of (--model | --model-dir) must be specified.");
  JsonTree body = JsonTree::Object();
  body["jobId"] = JsonTree::Text(job);
  for (const auto& [key, value] : SplitPairs(labels, "--labels"))
    body["labels"][key] = JsonTree::Text(value);
  JsonTree& input = body["predictionInput"] = JsonTree::Object();
  std::string name = fmt::format("projects/{}/models/{}", project, model);
  if (!model_dir.empty())
    Put(input, "uri", model_dir);
  else if (version.empty())
    Put(input, "modelName", name);
  else
    Put(input, "versionName", fmt::format("{}/versions/{}", name, version));
  Put(input, "dataFormat", Format(data_format));
  for (const std::string& path : SplitLists(input_paths))
    input["inputPaths"].Append(JsonTree::Text(path));
  Put(input, "outputPath", output_path);
  Put(input, "region", region);
  Put(input, "runtimeVersion", runtime_version);
  Put(input, "signatureName", signature);
  PutNumber(input, "maxWorkerCount", max_workers);
  PutNumber(input, "batchSize", batch_size);
  return body;
}

void AddBatchCommand(Command& root, Settings& settings) {
  auto batch = std::make_shared<BatchCommand>();
  Command* command =
      GroupOf(root, "jobs submit").AddCommand("prediction", "Submit a batch prediction job");
  batch->flags.AddTo(*command);
  batch->ml.AddTo(*command);
  batch->output.AddTo(*command, Shape::kOne);
  command->OnRun([batch, &settings] { Submit(*batch, settings); });
}

}  // namespace fireweed::cli
