// fireweed deploy: from a directory or a training job to an endpoint in one go.
#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include "base/bytes.h"
#include "base/clock.h"
#include "cli/grammar.h"
#include "cli/ml/model_calls.h"
#include "cli/ml/predict_commands.h"
#include "client/storage_client.h"

namespace fireweed::cli {
namespace {

namespace fs = std::filesystem;

struct DeployCommand {
  MlOptions place;
  VersionWish version;
  std::string what;
};

// The files by which a model is known. TensorFlow's is the usual one of gcloud as well.
std::string FrameworkOf(std::string_view file) {
  if (file == "saved_model.pb" || file == "saved_model.pbtxt") return "tensorflow";
  if (file == "model.bst" || file == "model.json" || file == "model.ubj") return "xgboost";
  if (file == "model.joblib" || file == "model.pkl") return "scikit-learn";
  return "";
}

struct FoundModel {
  std::string directory;  // without a slash at its end
  std::string framework;
};

// The model below a place: the one whose directory sorts last, which is the newest of an Estimator's exports.
void Consider(FoundModel& best, const std::string& path) {
  size_t slash = path.rfind('/');
  std::string framework = FrameworkOf(path.substr(slash + 1));
  if (framework.empty() || slash == std::string::npos) return;
  std::string directory = path.substr(0, slash);
  if (best.directory.empty() || directory > best.directory) best = {directory, framework};
}

FoundModel FindLocal(const std::string& root) {
  FoundModel best;
  for (const auto& entry : fs::recursive_directory_iterator(root)) {
    if (entry.is_regular_file()) Consider(best, entry.path().generic_string());
  }
  return best;
}

FoundModel FindRemote(const Settings& settings, const std::string& uri) {
  size_t slash = uri.find('/', 5);
  api::storage::ListObjects request;
  request.bucket = uri.substr(5, slash - 5);
  if (slash != std::string::npos) request.prefix = uri.substr(slash + 1);
  if (!request.prefix.empty() && !request.prefix.ends_with('/')) request.prefix += '/';
  StorageClient client(settings.Daemon(), ReadOwner(settings.State()));
  FoundModel best;
  client.List(request, [&](const api::storage::Object& object) {
    Consider(best, "gs://" + request.bucket + "/" + object.name);
    return true;
  });
  return best;
}

JsonTree FindJob(MlSession& session, const std::string& what) {
  std::string neither = fmt::format(
      "'{}' is neither a directory nor a training job; name a directory, gs://BUCKET/PATH, or a "
      "job "
      "of `fireweed ai-platform jobs list`",
      what);
  // Jobs have no such characters in their names.
  if (what.find_first_of("/.") != std::string::npos) throw Failure(Code::kNotFound, neither);
  try {
    return session.Call("GET", "jobs/" + PercentEncode(what));
  } catch (const Failure& failure) {
    if (failure.error().code != Code::kNotFound) throw;
    throw Failure(Code::kNotFound, neither);
  }
}

FoundModel FindModelIn(MlSession& session, const Settings& settings, const std::string& what) {
  if (what.starts_with("gs://")) return FindRemote(settings, what);
  if (fs::is_directory(what)) return FindLocal(what);
  JsonTree job = FindJob(session, what);
  const JsonTree* input = job.Find("trainingInput");
  std::string directory = input ? input->TextOf("jobDir") : "";
  if (directory.empty()) {
    throw Failure(Code::kInvalid, fmt::format("The job '{}' has no jobDir to look in.", what));
  }
  return FindRemote(settings, directory);
}

// A name that the API takes, made of the last word of a path.
std::string NameOf(const std::string& what) {
  std::string path = what;
  while (path.ends_with('/')) path.pop_back();
  std::string name = path.substr(path.rfind('/') + 1);
  for (char& c : name) {
    if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
  }
  if (name.empty() || !std::isalpha(static_cast<unsigned char>(name[0]))) name = "model_" + name;
  return name;
}

void EnsureModel(MlSession& session, const std::string& name) {
  JsonTree body = JsonTree::Object();
  body["name"] = JsonTree::Text(name);
  try {
    session.Call("POST", "models", body);
    session.Say(fmt::format("Created model [{}].", name));
  } catch (const Failure& failure) {
    if (failure.error().code != Code::kExists) throw;
  }
}

std::string NextVersion(MlSession& session, const std::string& model) {
  int newest = 0;
  for (const JsonTree& version :
       session.List(fmt::format("models/{}/versions", PercentEncode(model)), "versions")) {
    std::string name = version.TextOf("name");
    name = name.substr(name.rfind('/') + 1);
    if (name.starts_with('v')) newest = std::max(newest, std::atoi(name.c_str() + 1));
  }
  return fmt::format("v{}", newest + 1);
}

void Deploy(DeployCommand command, const Settings& settings) {
  MlSession session(command.place, settings);
  FoundModel found = FindModelIn(session, settings, command.what);
  if (found.directory.empty()) {
    throw Failure(Code::kNotFound,
                  fmt::format("There is no model in '{}': none of saved_model.pb, model.bst, "
                              "model.json, model.joblib and model.pkl was found.",
                              command.what));
  }
  VersionWish& wish = command.version;
  wish.origin = found.directory;
  if (wish.framework.empty() && wish.prediction_class.empty()) wish.framework = found.framework;
  if (wish.model.empty()) wish.model = NameOf(command.what);
  EnsureModel(session, wish.model);
  if (wish.name.empty()) wish.name = NextVersion(session, wish.model);
  FinishMl(session, BeginVersion(session, settings, wish));
  std::string path =
      fmt::format("models/{}/versions/{}", PercentEncode(wish.model), PercentEncode(wish.name));
  session.Call("POST", path + ":setDefault", JsonTree::Object());
  session.Say(
      fmt::format("Version [{}] of model [{}] is ready and is the default. Query it with\n  "
                  "fireweed predict --model {} --json-instances FILE",
                  wish.name, wish.model, wish.model));
}

}  // namespace

void AddDeployCommand(Command& app, Settings& settings) {
  auto options = std::make_shared<DeployCommand>();
  Command* command = app.AddCommand("deploy", "Deploy a model from a directory or training job");
  command->AddOption("what", options->what, "A directory, gs://..., or the name of a training job")
      ->Required();
  VersionWish& wish = options->version;
  command->AddOption("--model", wish.model,
                     "Model, created if missing (default: from the directory's name)");
  command->AddOption("--version", wish.name, "Version (default: the next of v1, v2, ...)");
  command->AddOption("--framework", wish.framework, "tensorflow, scikit-learn or xgboost");
  command->AddOption("--runtime-version", wish.runtime_version, "Runtime version, as for training");
  command->AddOption("--staging-bucket", wish.staging_bucket,
                     "Bucket to upload a local directory to");
  command->AddOption("--machine-type", wish.machine_type, "mls1-c1-m2, n1-standard-2, ...");
  command->AddOption("--min-nodes", wish.min_nodes,
                     "Minimum number of processes; 0 stops an idle version");
  options->place.AddTo(*command);
  command->EndHelpWith("Example:\n  fireweed deploy export/exporter/1700000000 --model census");
  command->OnRun([options, &settings] { Deploy(*options, settings); });
}

}  // namespace fireweed::cli
