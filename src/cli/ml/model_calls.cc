#include "cli/ml/model_calls.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <fmt/format.h>

#include "base/bytes.h"
#include "cli/compute/argument_lists.h"
#include "cli/grammar.h"
#include "client/storage_client.h"

namespace fireweed::cli {
namespace {

namespace fs = std::filesystem;

std::string ReadFile(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw Failure(Code::kNotFound, "Cannot read " + path.string() + ".");
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

bool IsRemote(std::string_view origin) { return origin.starts_with("gs://"); }

std::string Upper(std::string text) {
  std::ranges::transform(text, text.begin(), [](unsigned char c) {
    return c == '-' ? '_' : static_cast<char>(std::toupper(c));
  });
  return text;
}

// Where a local model goes: its own place below the staging bucket.
std::string Stage(MlSession& session, const Settings& settings, const VersionWish& wish) {
  std::string bucket = wish.staging_bucket;
  if (bucket.starts_with("gs://")) bucket = bucket.substr(5);
  bucket = bucket.substr(0, bucket.find('/'));
  if (bucket.empty()) bucket = session.project() + "-models";
  std::string prefix = fmt::format("{}/{}", wish.model, wish.name);
  int files = UploadDirectory(settings, session.project(), wish.origin, bucket, prefix);
  session.Say(fmt::format("Uploaded {} files to gs://{}/{}/.", files, bucket, prefix));
  return fmt::format("gs://{}/{}/", bucket, prefix);
}

}  // namespace

void VersionWish::AddTo(Command& command) {
  command.AddOption("--origin", origin, "gs://BUCKET/DIRECTORY, or a local directory")->Required();
  command.AddOption("--staging-bucket", staging_bucket, "Where a local directory is uploaded to");
  command.AddOption("--framework", framework, "tensorflow, scikit-learn or xgboost");
  command.AddOption("--runtime-version", runtime_version, "As for training");
  command.AddOption("--python-version", python_version, "As for training");
  command.AddOption("--machine-type", machine_type, "mls1-c1-m2, n1-standard-2, ...");
  command.AddOption("--prediction-class", prediction_class, "module.Class of a routine");
  command.AddOption("--package-uris", package_uris, "gs://BUCKET/PACKAGE.tar.gz,...");
  command.AddOption("--service-account", service_account, "Who reads the model");
  command.AddOption("--min-nodes", min_nodes, "0: no process while nobody asks");
  command.AddOption("--nodes", nodes, "A fixed number of nodes");
}

JsonTree BeginVersion(MlSession& session, const Settings& settings, const VersionWish& wish) {
  JsonTree body = JsonTree::Object();
  auto put = [&](const char* field, const std::string& value) {
    if (!value.empty()) body[field] = JsonTree::Text(value);
  };
  put("name", wish.name);
  put("description", wish.description);
  put("deploymentUri", IsRemote(wish.origin) ? wish.origin : Stage(session, settings, wish));
  put("framework", Upper(wish.framework));
  put("runtimeVersion", wish.runtime_version);
  put("pythonVersion", wish.python_version);
  put("machineType", wish.machine_type);
  put("predictionClass", wish.prediction_class);
  put("serviceAccount", wish.service_account);
  for (const std::string& uri : SplitList(wish.package_uris)) {
    body["packageUris"].Append(JsonTree::Text(uri));
  }
  if (!wish.labels.empty()) body["labels"] = PairsOf(wish.labels);
  if (wish.min_nodes >= 0) body["autoScaling"]["minNodes"] = JsonTree::Number(wish.min_nodes);
  if (wish.nodes > 0) body["manualScaling"]["nodes"] = JsonTree::Number(wish.nodes);
  return session.Call("POST", fmt::format("models/{}/versions", PercentEncode(wish.model)), body);
}

JsonTree FinishMl(MlSession& session, JsonTree operation) {
  // Each call is answered when it is done, or after a minute.
  while (operation.TextOf("done") != "true") {
    std::string name = operation.TextOf("name");
    name = name.substr(name.rfind('/') + 1);
    operation = session.Call("GET", fmt::format("operations/{}?waitSeconds=60", name));
  }
  if (const JsonTree* error = operation.Find("error")) {
    throw Failure(Code::kInternal, error->TextOf("message"));
  }
  return operation;
}

int UploadDirectory(const Settings& settings, const std::string& project,
                    const std::string& directory, const std::string& bucket,
                    const std::string& prefix) {
  if (!fs::is_directory(directory)) {
    throw Failure(Code::kNotFound, fmt::format("'{}' is no directory.", directory));
  }
  StorageClient client(settings.Daemon(), ReadOwner(settings.State()));
  try {
    client.rest().Send("GET", "/storage/v1/b/" + PercentEncode(bucket), "");
  } catch (const Failure& failure) {
    if (failure.error().code != Code::kNotFound) throw;
    JsonTree made = JsonTree::Object();
    made["name"] = JsonTree::Text(bucket);
    client.rest().Send("POST", "/storage/v1/b?project=" + PercentEncode(project), made.Compact());
  }
  int files = 0;
  for (const auto& entry : fs::recursive_directory_iterator(directory)) {
    if (!entry.is_regular_file()) continue;
    std::string name = fs::relative(entry.path(), directory).generic_string();
    UploadSpec spec{.bucket = bucket, .name = prefix + "/" + name, .metadata = JsonTree::Object()};
    client.Upload(spec, ReadFile(entry.path()));
    ++files;
  }
  if (files == 0) throw Failure(Code::kInvalid, fmt::format("'{}' holds no files.", directory));
  return files;
}

JsonTree PairsOf(std::string_view text) {
  JsonTree pairs = JsonTree::Object();
  for (const std::string& pair : SplitList(text)) {
    size_t equals = pair.find('=');
    if (equals == std::string::npos) {
      throw Failure(Code::kInvalid, fmt::format("'{}' is not KEY=VALUE.", pair));
    }
    pairs[pair.substr(0, equals)] = JsonTree::Text(pair.substr(equals + 1));
  }
  return pairs;
}

}  // namespace fireweed::cli
