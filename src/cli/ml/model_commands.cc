// fireweed ai-platform models, versions, operations.
#include <fstream>
#include <sstream>

#include <fmt/format.h>

#include "base/bytes.h"
#include "cli/compute/argument_lists.h"
#include "cli/compute/compute_commands.h"
#include "cli/format/resource_output.h"
#include "cli/grammar.h"
#include "cli/ml/ml_session.h"
#include "cli/ml/model_calls.h"
#include "cli/ml/predict_commands.h"

namespace fireweed::cli {
namespace {

constexpr const char* kModelTable =
    "table(name.basename(), defaultVersion.name.basename():label=DEFAULT_VERSION_NAME)";
constexpr const char* kVersionTable =
    "table(name.basename(), deploymentUri:label=DEPLOYMENT_URI, state)";
constexpr const char* kOperationTable =
    "table(name.basename(), metadata.operationType:label=OPERATION, done)";

struct ModelCommand {
  MlOptions place;
  OutputOptions output;
  std::string name, model, description, labels, regions, file;
  bool logging = false, console_logging = false, async = false;
  VersionWish version;
};
using Shared = std::shared_ptr<ModelCommand>;
using Action = void (*)(const ModelCommand&, const Settings&);

std::string VersionPath(const ModelCommand& command) {
  return fmt::format("models/{}/versions/{}", PercentEncode(command.model),
                     PercentEncode(command.name));
}

void Print(const ModelCommand& command, const Settings& settings, JsonTree one) {
  std::vector<JsonTree> all;
  all.push_back(std::move(one));
  fmt::print("{}", command.output.Text(std::move(all), "yaml", Shape::kOne, settings.json));
}

void PrintList(const ModelCommand& command, const Settings& settings, const MlSession& session,
               std::vector<JsonTree> all, const char* table) {
  std::string text = command.output.Text(std::move(all), table, Shape::kList, settings.json);
  if (text.empty() && command.output.format.empty()) session.Say("Listed 0 items.");
  fmt::print("{}", text);
}

void CreateModelNow(const ModelCommand& command, const Settings& settings) {
  MlSession session(command.place, settings);
  JsonTree body = JsonTree::Object();
  body["name"] = JsonTree::Text(command.name);
  if (!command.description.empty()) body["description"] = JsonTree::Text(command.description);
  for (const std::string& region : SplitList(command.regions)) {
    body["regions"].Append(JsonTree::Text(region));
  }
  body["onlinePredictionLogging"] = JsonTree::Bool(command.logging);
  body["onlinePredictionConsoleLogging"] = JsonTree::Bool(command.console_logging);
  if (!command.labels.empty()) body["labels"] = PairsOf(command.labels);
  session.Call("POST", "models", body);
  session.Say(fmt::format("Created ai platform model [projects/{}/models/{}].", session.project(),
                          command.name));
}

void ListModelsNow(const ModelCommand& command, const Settings& settings) {
  MlSession session(command.place, settings);
  PrintList(command, settings, session, session.List("models", "models"), kModelTable);
}

void DescribeModel(const ModelCommand& command, const Settings& settings) {
  MlSession session(command.place, settings);
  Print(command, settings, session.Call("GET", "models/" + PercentEncode(command.name)));
}

void UpdateModel(const ModelCommand& command, const Settings& settings) {
  MlSession session(command.place, settings);
  JsonTree body = JsonTree::Object();
  std::string mask;
  if (!command.description.empty()) {
    body["description"] = JsonTree::Text(command.description);
    mask = "description";
  }
  if (!command.labels.empty()) {
    body["labels"] = PairsOf(command.labels);
    mask += mask.empty() ? "labels" : ",labels";
  }
  if (mask.empty()) throw Failure(Code::kInvalid, "Say what to change: --description, --labels.");
  FinishMl(session, session.Call("PATCH",
                                 fmt::format("models/{}?updateMask={}", PercentEncode(command.name),
                                             PercentEncode(mask)),
                                 body));
}

void DeleteModel(const ModelCommand& command, const Settings& settings) {
  MlSession session(command.place, settings);
  FinishMl(session, session.Call("DELETE", "models/" + PercentEncode(command.name)));
  session.Say(fmt::format("Deleted [{}].", command.name));
}

void GetModelPolicy(const ModelCommand& command, const Settings& settings) {
  MlSession session(command.place, settings);
  Print(command, settings,
        session.Call("GET", fmt::format("models/{}:getIamPolicy", PercentEncode(command.name))));
}

void SetModelPolicy(const ModelCommand& command, const Settings& settings) {
  MlSession session(command.place, settings);
  std::ifstream file(command.file);
  if (!file) throw Failure(Code::kNotFound, "Cannot read " + command.file + ".");
  std::stringstream text;
  text << file.rdbuf();
  JsonTree body = JsonTree::Object();
  body["policy"] = JsonTree::Parse(text.str());
  Print(command, settings,
        session.Call("POST", fmt::format("models/{}:setIamPolicy", PercentEncode(command.name)),
                     body));
}

void CreateVersionNow(const ModelCommand& command, const Settings& settings) {
  MlSession session(command.place, settings);
  VersionWish wish = command.version;
  wish.name = command.name;
  wish.model = command.model;
  wish.description = command.description;
  wish.labels = command.labels;
  JsonTree operation = BeginVersion(session, settings, wish);
  if (command.async) return Print(command, settings, std::move(operation));
  session.Say("Creating version (this might take a few minutes)...");
  FinishMl(session, std::move(operation));
  session.Say(fmt::format("Created version [{}].", command.name));
}

void ListVersionsNow(const ModelCommand& command, const Settings& settings) {
  MlSession session(command.place, settings);
  std::string path = fmt::format("models/{}/versions", PercentEncode(command.model));
  PrintList(command, settings, session, session.List(path, "versions"), kVersionTable);
}

void DescribeVersion(const ModelCommand& command, const Settings& settings) {
  MlSession session(command.place, settings);
  Print(command, settings, session.Call("GET", VersionPath(command)));
}

void DeleteVersion(const ModelCommand& command, const Settings& settings) {
  MlSession session(command.place, settings);
  FinishMl(session, session.Call("DELETE", VersionPath(command)));
  session.Say(fmt::format("Deleted version [{}].", command.name));
}

void SetDefault(const ModelCommand& command, const Settings& settings) {
  MlSession session(command.place, settings);
  Print(command, settings,
        session.Call("POST", VersionPath(command) + ":setDefault", JsonTree::Object()));
}

void ListOperationsNow(const ModelCommand& command, const Settings& settings) {
  MlSession session(command.place, settings);
  PrintList(command, settings, session, session.List("operations", "operations"), kOperationTable);
}

void DescribeOperation(const ModelCommand& command, const Settings& settings) {
  MlSession session(command.place, settings);
  Print(command, settings, session.Call("GET", "operations/" + PercentEncode(command.name)));
}

void CancelOperationNow(const ModelCommand& command, const Settings& settings) {
  MlSession session(command.place, settings);
  session.Call("POST", fmt::format("operations/{}:cancel", PercentEncode(command.name)),
               JsonTree::Object());
  session.Say(fmt::format("Cancelled [{}].", command.name));
}

void WaitOperation(const ModelCommand& command, const Settings& settings) {
  MlSession session(command.place, settings);
  Print(command, settings,
        FinishMl(session, session.Call("GET", "operations/" + PercentEncode(command.name))));
}

enum class Named { kNo, kYes };

Command* Add(Command& group, Settings& settings, const char* word, const char* help, Named named,
             Shape shape, Action action, Shared& options) {
  options = std::make_shared<ModelCommand>();
  Command* command = group.AddCommand(word, help);
  if (named == Named::kYes) command->AddOption("name", options->name, "Its name")->Required();
  options->place.AddTo(*command);
  options->output.AddTo(*command, shape);
  command->OnRun([options, action, &settings] { action(*options, settings); });
  return command;
}

void AddModels(Command& root, Settings& settings) {
  Command& group = GroupOf(root, "models", "Models: what versions belong to");
  Shared options;
  Command* create = Add(group, settings, "create", "Make a model", Named::kYes, Shape::kOne,
                        CreateModelNow, options);
  create->AddOption("--regions", options->regions, "REGION,...");
  create->AddOption("--region", options->regions, "REGION");
  create->AddOption("--description", options->description, "What it is for");
  create->AddOption("--labels", options->labels, "KEY=VALUE,...");
  create->AddFlag("--enable-logging", options->logging, "Log predictions");
  create->AddFlag("--enable-console-logging", options->console_logging, "Log what models print");
  Add(group, settings, "list", "List models", Named::kNo, Shape::kList, ListModelsNow, options);
  Add(group, settings, "describe", "Show one", Named::kYes, Shape::kOne, DescribeModel, options);
  Add(group, settings, "delete", "Delete one", Named::kYes, Shape::kOne, DeleteModel, options);
  Command* update =
      Add(group, settings, "update", "Change one", Named::kYes, Shape::kOne, UpdateModel, options);
  update->AddOption("--description", options->description, "What it is for");
  update->AddOption("--labels,--update-labels", options->labels, "KEY=VALUE,...");
  Add(group, settings, "get-iam-policy", "Who may do what", Named::kYes, Shape::kOne,
      GetModelPolicy, options);
  Command* policy = Add(group, settings, "set-iam-policy", "Say who may do what", Named::kYes,
                        Shape::kOne, SetModelPolicy, options);
  policy->AddOption("file", options->file, "The policy as JSON")->Required();
}

void AddVersions(Command& root, Settings& settings) {
  Command& group = GroupOf(root, "versions", "Versions: what predicts");
  Shared options;
  auto add = [&](const char* word, const char* help, Named named, Shape shape, Action action) {
    Command* command = Add(group, settings, word, help, named, shape, action, options);
    command->AddOption("--model", options->model, "The model")->Required();
    return command;
  };
  Command* create = add("create", "Make a version", Named::kYes, Shape::kOne, CreateVersionNow);
  options->version.AddTo(*create);
  create->AddOption("--description", options->description, "What it is");
  create->AddOption("--labels", options->labels, "KEY=VALUE,...");
  create->AddFlag("--async", options->async, "Do not wait until it is ready");
  add("list", "List versions", Named::kNo, Shape::kList, ListVersionsNow);
  add("describe", "Show one", Named::kYes, Shape::kOne, DescribeVersion);
  add("delete", "Delete one", Named::kYes, Shape::kOne, DeleteVersion);
  add("set-default", "Make it the one that is used", Named::kYes, Shape::kOne, SetDefault);
}

}  // namespace

void AddModelCommands(Command& root, Settings& settings) {
  AddModels(root, settings);
  AddVersions(root, settings);
  Command& group = GroupOf(root, "operations", "What is being done to models");
  Shared options;
  Add(group, settings, "list", "List them", Named::kNo, Shape::kList, ListOperationsNow, options);
  Add(group, settings, "describe", "Show one", Named::kYes, Shape::kOne, DescribeOperation,
      options);
  Add(group, settings, "cancel", "Call one off", Named::kYes, Shape::kOne, CancelOperationNow,
      options);
  Add(group, settings, "wait", "Wait for one", Named::kYes, Shape::kOne, WaitOperation, options);
}

}  // namespace fireweed::cli
