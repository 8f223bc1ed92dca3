// fireweed ai-platform predict and local predict, fireweed predict, fireweed deploy.
#include "cli/ml/predict_commands.h"

#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iostream>
#include <optional>
#include <sstream>

#include <fmt/format.h>

#include "base/bytes.h"
#include "base/process.h"
#include "cli/compute/compute_commands.h"
#include "cli/format/resource_output.h"
#include "cli/grammar.h"
#include "cli/ml/model_calls.h"
#include "client/storage_client.h"
#include "net/http_client.h"

namespace fireweed::cli {
namespace {

struct PredictCommand {
  MlOptions place;
  OutputOptions output;
  std::string model, version, json_instances, text_instances, json_request, signature;
  std::string model_dir, framework, python, region;
};
using Shared = std::shared_ptr<PredictCommand>;

std::string ReadAll(const std::string& path) {
  std::stringstream text;
  if (path == "-") {
    text << std::cin.rdbuf();
    return text.str();
  }
  std::ifstream file(path, std::ios::binary);
  if (!file) throw Failure(Code::kNotFound, "Cannot read " + path + ".");
  text << file.rdbuf();
  return text.str();
}

// The body of the request: a line of a file is an instance.
JsonTree RequestOf(const PredictCommand& command) {
  if (!command.json_request.empty()) return JsonTree::Parse(ReadAll(command.json_request));
  bool json = !command.json_instances.empty();
  if (json == !command.text_instances.empty()) {
    throw Failure(Code::kInvalid,
                  "Give one of --json-instances, --text-instances and --json-request.");
  }
  std::stringstream lines(ReadAll(json ? command.json_instances : command.text_instances));
  JsonTree body = JsonTree::Object();
  body["instances"] = JsonTree::List();
  std::string line;
  for (int number = 1; std::getline(lines, line); ++number) {
    if (Trim(line).empty()) continue;
    try {
      body["instances"].Append(json ? JsonTree::Parse(line) : JsonTree::Text(line));
    } catch (const Failure& failure) {
      throw Failure(Code::kInvalid, fmt::format("Line {}: {}", number, failure.what()));
    }
  }
  if (!command.signature.empty()) body["signature_name"] = JsonTree::Text(command.signature);
  return body;
}

// A value as Python writes it, which is what gcloud's tables show of a list.
std::string PythonText(const JsonTree& value) {
  switch (value.kind()) {
    case JsonTree::Kind::kNull: return "None";
    case JsonTree::Kind::kBool: return value.text() == "true" ? "True" : "False";
    case JsonTree::Kind::kString: return "'" + value.text() + "'";
    case JsonTree::Kind::kNumber: return value.text();
    case JsonTree::Kind::kObject: return value.Compact();
    case JsonTree::Kind::kList: break;
  }
  std::string text;
  for (const JsonTree& item : value.items()) text += (text.empty() ? "" : ", ") + PythonText(item);
  return "[" + text + "]";
}

std::vector<JsonTree> WithListsAsText(std::vector<JsonTree> predictions) {
  for (JsonTree& prediction : predictions) {
    const JsonTree given = prediction;
    for (const auto& [name, value] : given.members()) {
      if (value.IsList()) prediction[name] = JsonTree::Text(PythonText(value));
    }
  }
  return predictions;
}

// A table of what the predictions hold, as gcloud shows it; one line for plain values.
void Show(const PredictCommand& command, const Settings& settings, const JsonTree& reply) {
  const JsonTree* predictions = reply.Find("predictions");
  bool objects =
      predictions && !predictions->items().empty() && predictions->items().front().IsObject();
  if (!predictions || (command.output.format.empty() && !settings.json && !objects)) {
    fmt::print("{}\n", (predictions ? *predictions : reply).Compact());
    return;
  }
  std::string table;
  if (objects) {
    for (const auto& [name, value] : predictions->items().front().members()) {
      table += (table.empty() ? "table(" : ", ") + name;
    }
    table += ")";
  }
  if (settings.json || command.output.format == "json") {
    fmt::print("{}\n", reply.Pretty());
    return;
  }
  std::vector<JsonTree> rows = predictions->items();
  if (command.output.format.empty()) rows = WithListsAsText(std::move(rows));
  fmt::print("{}", command.output.Text(std::move(rows), table, Shape::kList, settings.json));
}

void Predict(const PredictCommand& command, const Settings& settings) {
  MlSession session(command.place, settings);
  std::string path = "models/" + PercentEncode(command.model);
  if (!command.version.empty()) path += "/versions/" + PercentEncode(command.version);
  Show(command, settings, session.Call("POST", path + ":predict", RequestOf(command)));
}

// The line in which the process says where it listens, or why it will not.
std::string AwaitAddress(ChildProgram& child) {
  std::string said, complaint;
  while (said.find('\n') == std::string::npos) {
    char bytes[4096];
    ssize_t count = read(child.output.get(), bytes, sizeof bytes);
    if (count <= 0) break;
    said.append(bytes, static_cast<size_t>(count));
  }
  size_t at = said.find("127.0.0.1:");
  if (at != std::string::npos) return said.substr(at, said.find_first_of(" \n", at) - at);
  char bytes[4096];
  for (ssize_t count; (count = read(child.error.get(), bytes, sizeof bytes)) > 0;) {
    complaint.append(bytes, static_cast<size_t>(count));
  }
  throw Failure(Code::kInvalid,
                complaint.empty() ? "The model cannot be loaded." : std::string(Trim(complaint)));
}

// Where the interpreter's package is, without importing it; empty when it has none.
std::string FindPackage(const std::string& python, std::string_view name) {
  std::string ask = fmt::format(
      "import importlib.util as u; s = u.find_spec('{}'); "
      "print(s.submodule_search_locations[0] if s else '')",
      name);
  Result<ProgramOutcome> said = RunProgram(
      {.argv = {python.empty() ? "python3" : python, "-c", ask}}, std::chrono::seconds(30));
  return said.ok() && said->ok() ? std::string(Trim(said->output)) : "";
}

// XGBoost's old binary form can be read by its library alone; the others start with a brace.
void AddXgboost(const PredictCommand& command, std::vector<std::string>& argv) {
  std::ifstream file(command.model_dir + "/model.bst", std::ios::binary);
  if (!file || file.peek() == '{') return;
  std::string package = FindPackage(command.python, "xgboost");
  if (!package.empty()) {
    argv.insert(argv.end(), {"--xgboost-library", package + "/lib/libxgboost.so"});
  }
}

void AddTensorflow(const PredictCommand& command, std::vector<std::string>& argv) {
  bool saved_model = std::filesystem::exists(command.model_dir + "/saved_model.pb");
  if (!saved_model && command.framework != "tensorflow") return;
  std::string package = FindPackage(command.python, "tensorflow");
  if (package.empty()) {
    throw Failure(Code::kInvalid,
                  "The model needs TensorFlow, and this Python has none: name one that has it with "
                  "--python.");
  }
  argv.insert(argv.end(), {"--tensorflow", package});
}

void PredictHere(const PredictCommand& command, const Settings& settings) {
  JsonTree body = RequestOf(command);
  ProgramSpec program;
  program.argv = {settings.context->program_directory + "/fireweed-serve",
                  "--model-dir",
                  command.model_dir,
                  "--listen",
                  "127.0.0.1:0",
                  "--log-level",
                  "error"};
  if (!command.framework.empty()) {
    std::string name = command.framework;
    for (char& c : name) c = c == '-' ? '_' : static_cast<char>(std::toupper(c));
    program.argv.insert(program.argv.end(), {"--framework", name});
  }
  if (!command.python.empty())
    program.argv.insert(program.argv.end(), {"--python", command.python});
  AddTensorflow(command, program.argv);
  AddXgboost(command, program.argv);
  ChildProgram child = ChildProgram::Spawn(program).value();
  net::HttpClient client({});
  net::ClientRequest request{.method = "POST",
                             .url = "http://" + AwaitAddress(child) + "/v1/predict",
                             .headers = {{"Content-Type", "application/json"}},
                             .body = body.Compact()};
  net::ClientResponse reply = client.Send(request).value();
  child.Kill(SIGTERM);
  child.Wait();
  if (reply.status != 200) throw Failure(Code::kInvalid, std::string(Trim(reply.body)));
  Show(command, settings, JsonTree::Parse(reply.body));
}

void AddInstances(Command& command, PredictCommand& options) {
  command.AddOption("--json-instances", options.json_instances, "A file, an instance a line");
  command.AddOption("--text-instances", options.text_instances, "The same as plain text");
  command.AddOption("--json-request", options.json_request, "The whole request");
  command.AddOption("--signature-name", options.signature, "Which of the model's signatures");
}

}  // namespace

void AddPredictCommand(Command& root, Settings& settings) {
  auto options = std::make_shared<PredictCommand>();
  Command* command = root.AddCommand("predict", "Send instances to a model");
  command->AddOption("--model", options->model, "Model")->Required();
  command->AddOption("--version", options->version, "One of its versions; else the default");
  command->AddOption("--region", options->region, "Accepted for gcloud's sake");
  AddInstances(*command, *options);
  options->place.AddTo(*command);
  options->output.AddTo(*command, Shape::kOne);
  command->EndHelpWith("Example:\n  fireweed predict --model census --json-instances rows.json");
  command->OnRun([options, &settings] { Predict(*options, settings); });
}

void AddLocalPredict(Command& root, Settings& settings) {
  Command& group = GroupOf(root, "local", "Without a daemon");
  auto options = std::make_shared<PredictCommand>();
  Command* command = group.AddCommand("predict", "Predict with a model in a local directory");
  command->AddOption("--model-dir", options->model_dir, "Directory of the model")->Required();
  command->AddOption("--framework", options->framework, "tensorflow, scikit-learn or xgboost");
  command->AddOption("--python", options->python, "Interpreter of Python models");
  AddInstances(*command, *options);
  options->output.AddTo(*command, Shape::kOne);
  command->OnRun([options, &settings] { PredictHere(*options, settings); });
}

}  // namespace fireweed::cli
