#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "base/error.h"
#include "cli/compute/argument_lists.h"
#include "cli/compute/compute_commands.h"
#include "cli/compute/compute_session.h"
#include "cli/format/resource_output.h"
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

void BatchFlags::AddTo(CLI::App& command) {
  command.add_option("job", job, "Name of the job")->required();
  CLI::Option* directory =
      command.add_option("--model-dir", model_dir, "A model in a bucket, without a version");
  CLI::Option* named = command.add_option("--model", model, "A model")->excludes(directory);
  command.add_option("--version", version, "One of its versions; else the default")->needs(named);
  command.add_option("--data-format", data_format, "text, json, tf-record or tf-record-gzip")
      ->required();
  command.add_option("--input-paths", input_paths, "gs://..., with * at the end; repeatable")
      ->required()
      ->allow_extra_args(false);
  command.add_option("--output-path", output_path, "gs:// directory for the answers")->required();
  command.add_option("--region", region, "Region");
  command.add_option("--runtime-version", runtime_version, "For --model-dir");
  command.add_option("--signature-name", signature, "Which of the model's signatures");
  command.add_option("--max-worker-count", max_workers, "At most so many at a time");
  command.add_option("--batch-size", batch_size, "Instances computed together");
  command.add_option("--labels", labels, "KEY=VALUE,...")->allow_extra_args(false);
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

void AddBatchCommand(CLI::App& root, Settings& settings) {
  auto batch = std::make_shared<BatchCommand>();
  CLI::App* command =
      GroupOf(root, "jobs submit")
          .add_subcommand("prediction", "Ask a model about many instances: files in, files out");
  batch->flags.AddTo(*command);
  batch->ml.AddTo(*command);
  batch->output.AddTo(*command, Shape::kOne);
  command->callback([batch, &settings] { Submit(*batch, settings); });
}

}  // namespace fireweed::cli
