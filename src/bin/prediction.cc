#include "bin/prediction.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <fmt/format.h>

#include "bin/model_source.h"
#include "bin/program_libraries.h"
#include "ml/models/metrics_round.h"
#include "ml/models/ready_probe.h"
#include "ml/service_account.h"

namespace fireweed {
namespace {

namespace fs = std::filesystem;

ml::GatewayLimits LimitsOf(const ServingConfig& config) {
  return {.most_at_once = config.most_requests,
          .wake_limit = std::chrono::seconds(config.wake_seconds),
          .answer_limit = std::chrono::seconds(config.answer_seconds)};
}

std::string_view FrameworkName(const ml::VersionRecord& record) {
  if (!record.resource.predictionClass.empty()) return "CUSTOM";
  switch (record.resource.framework) {
    case api::ml::Framework::kXgboost: return "XGBOOST";
    case api::ml::Framework::kScikitLearn: return "SCIKIT_LEARN";
    case api::ml::Framework::kTensorflow: return "TENSORFLOW";
    default: return "";  // known by its files
  }
}

// mls1-c4-m2 has four cores and two gigabytes; others are named by their cores.
MachineLimits LimitsOf(std::string_view machine_type) {
  MachineLimits limits{.pids = 1024};
  if (machine_type == "mls1-c1-m2") limits.memory_bytes = int64_t{2} << 30;
  if (machine_type == "mls1-c4-m4") limits.memory_bytes = int64_t{4} << 30;
  if (machine_type == "mls1-c4-m2") limits.memory_bytes = int64_t{2} << 30;
  return limits;
}

// Who reads the model: the version's own account, else the one of the project's services.
std::string ReaderOf(Ground& ground, People& people, const ml::VersionRecord& record) {
  if (!record.resource.serviceAccount.empty()) return record.resource.serviceAccount;
  auto project =
      Query(ground.catalog, [&](Txn& txn) { return people.projects.Find(txn, record.project); });
  if (!project) throw Failure(Code::kNotFound, "The project is gone.");
  return Update(ground.catalog, "ml service account", [&](Txn& txn) {
    return ml::EnsureServiceAccount(txn, *project, ground.clock.Now(), ground.random);
  });
}

Result<> Fetch(Ground& ground, People& people, Stores& stores, const ml::VersionRecord& record,
               const std::string& directory) {
  try {
    ModelOrder order{.uri = record.resource.deploymentUri,
                     .account = ReaderOf(ground, people, record),
                     .most_bytes = ground.options.config.serving.most_model_bytes};
    const storage::ObjectStore& store = stores.storage.store();
    if (Result<> copied = CopyModel(store, people.access, order, directory); !copied.ok()) {
      return copied;
    }
    for (const std::string& package : record.resource.packageUris) {
      order.uri = package;
      Result<> copied = CopyModel(store, people.access, order, directory + "/.packages");
      if (!copied.ok()) return copied;
    }
    return Done{};
  } catch (const Failure& failure) {
    return failure.error();
  }
}

std::string NameIn(const std::string& path) { return path.substr(path.rfind('/') + 1); }

// What a version runs with besides the program and its model.
struct ServingLibraries {
  std::string python, xgboost, tensorflow;
  std::vector<std::string> binds;  // seen by a container at the same paths
  std::map<std::string, std::string> environment;
};

// A library of a Python package needs others that lie beside the package.
std::string PackagesOf(const std::string& library) {
  constexpr std::string_view kInPackage = "/xgboost/lib/libxgboost.so";
  if (!library.ends_with(kInPackage)) return library;
  return library.substr(0, library.size() - kInPackage.size());
}

// Nothing of the system's own, which the image has.
ServingLibraries ConfiguredLibraries(const ServingConfig& config) {
  constexpr std::string_view kInterpreter = "/bin/python";
  ServingLibraries libraries{
      .python = config.python, .xgboost = config.xgboost, .tensorflow = config.tensorflow};
  if (config.python.ends_with(kInterpreter) && !config.python.starts_with("/usr/")) {
    libraries.binds.push_back(config.python.substr(0, config.python.size() - kInterpreter.size()));
  }
  for (const std::string& path : {PackagesOf(config.xgboost), config.tensorflow}) {
    if (!path.empty() && !path.starts_with("/usr/")) libraries.binds.push_back(path);
  }
  return libraries;
}

// XGBoost's old binary form, which its library alone reads; the others start with a brace.
bool NeedsXgboost(const std::string& model) {
  std::ifstream file(model + "/model.bst", std::ios::binary);
  char first = '{';
  return file.get(first) && first != '{';
}

// Whether a version is served with what a runtime provides and the settings do not name.
bool NeedsRuntime(const ServingConfig& config, const ml::VersionRecord& record,
                  const std::string& model) {
  const api::ml::Version& version = record.resource;
  if (version.runtimeVersion.empty()) return false;
  if (version.predictionClass.empty() && NeedsXgboost(model)) return config.xgboost.empty();
  if (!config.python.empty() || !config.tensorflow.empty()) return false;
  return !version.predictionClass.empty() ||
         version.framework == api::ml::Framework::kScikitLearn ||
         version.framework == api::ml::Framework::kTensorflow ||
         fs::exists(model + "/saved_model.pb") || fs::exists(model + "/model.joblib") ||
         fs::exists(model + "/model.pkl");
}

// A package, or a file of it, in the environment that ENVIRONMENT/bin/python is the interpreter of.
std::string FindInPackages(const std::string& interpreter, std::string_view name) {
  std::error_code none;
  fs::path environment = fs::path(interpreter).parent_path().parent_path();
  for (const auto& entry : fs::directory_iterator(environment / "lib", none)) {
    std::string found = fmt::format("{}/site-packages/{}", entry.path().string(), name);
    if (fs::exists(found, none)) return found;
  }
  return "";
}

// The runtime that training jobs of the same version have, unless the settings name one. kUnavailable with the reason
// "building" while it is being made.
Result<ServingLibraries> FindLibraries(const PredictionController::Means& means,
                                       const ml::VersionRecord& record, const std::string& model) {
  const ServingConfig& config = means.ground.options.config.serving;
  ServingLibraries libraries = ConfiguredLibraries(config);
  if (!NeedsRuntime(config, record, model)) return libraries;
  ml::EnvironmentAnswer answer =
      means.environments.Ask({.project = record.project,
                              .runtime_version = record.resource.runtimeVersion,
                              .python_version = record.resource.pythonVersion,
                              .account = ReaderOf(means.ground, means.people, record)});
  if (auto* failed = std::get_if<ml::EnvironmentFailed>(&answer)) {
    return Result<ServingLibraries>(Code::kInvalid, failed->message);
  }
  auto* ready = std::get_if<ml::EnvironmentReady>(&answer);
  if (!ready) {
    return Error{Code::kUnavailable, std::string(ml::kBuildingReason),
                 "the runtime is being installed"};
  }
  libraries.python = ready->interpreter;
  libraries.tensorflow = FindInPackages(ready->interpreter, "tensorflow");
  if (libraries.xgboost.empty()) {
    libraries.xgboost = FindInPackages(ready->interpreter, "xgboost/lib/libxgboost.so");
  }
  libraries.environment = ready->environment;
  for (const compute::Mount& mount : ready->mounts) libraries.binds.push_back(mount.path);
  return libraries;
}

// The command line of the process, with the paths as it sees them.
std::vector<std::string> Command(const ServingLibraries& libraries, const ml::VersionRecord& record,
                                 const std::string& program, const std::string& model,
                                 const std::string& socket) {
  std::vector<std::string> argv = {program,      "--model-dir",    model,
                                   "--listen",   "unix:" + socket, "--model",
                                   record.model, "--version-name", record.name};
  auto add = [&](const char* flag, const std::string& value) {
    if (value.empty()) return;
    argv.push_back(flag);
    argv.push_back(value);
  };
  add("--framework", std::string(FrameworkName(record)));
  add("--python", libraries.python);
  add("--xgboost-library", libraries.xgboost);
  add("--tensorflow", libraries.tensorflow);
  add("--prediction-class", record.resource.predictionClass);
  for (const std::string& package : record.resource.packageUris) {
    add("--package", model + "/.packages/" + NameIn(package));
  }
  return argv;
}

// A container sees the image, the program with its libraries and loader (the image need not have them) and its model, and
// talks to nobody but by its socket; a plain process sees the host, and finds its socket from the directory it starts in.
Result<MachineSpec> Describe(const PredictionController::Means& means, LibraryCache& cache,
                             const ml::VersionRecord& record, const ml::ServingPlace& place) {
  const std::string& program = cache.program();
  Result<ServingLibraries> libraries = FindLibraries(means, record, place.model);
  if (!libraries.ok()) return libraries.error();
  MachineSpec spec{.hostname = "model",
                   .limits = LimitsOf(record.resource.machineType),
                   .environment = libraries->environment};
  if (!means.machines.driver->capabilities().own_root) {
    spec.writable_directory = place.root + "/home";
    spec.command = Command(*libraries, record, program, place.model, "../run/upper/s");
    return spec;
  }
  Result<compute::BootImage> image = means.machines.boot_images.Find({});
  if (!image.ok()) return image.error();
  Result<ProgramLibraries> own = cache.Find();
  if (!own.ok()) return own.error();
  spec.image_layers = image->layers;
  spec.binds = image->binds;
  const std::string inside = "/opt/fireweed/";
  for (const std::string& path : own->paths) {
    spec.binds.push_back({path, inside + "lib/" + NameIn(path)});
  }
  spec.binds.push_back({own->loader, inside + "lib/loader"});
  spec.binds.push_back({program, inside + "fireweed-serve"});
  spec.binds.push_back({place.model, "/model"});
  for (const std::string& path : libraries->binds) spec.binds.push_back({path, path});
  spec.volumes.push_back({.directory = place.run, .inside = "/serve"});
  spec.command = Command(*libraries, record, inside + "fireweed-serve", "/model", "/serve/s");
  spec.command.insert(spec.command.begin(),
                      {inside + "lib/loader", "--library-path", inside + "lib"});
  return spec;
}

ml::ServingWorld World(const PredictionController::Means& means, LibraryCache& cache) {
  std::string directory = means.ground.state.Path("serving");
  means.ground.disk->MakeDirectories(directory).value();
  return {.driver = means.machines.split.with_prefix(),
          .directory = directory,
          .fetch =
              [means](const ml::VersionRecord& record, const std::string& to) {
                return Fetch(means.ground, means.people, means.stores, record, to);
              },
          .describe =
              [means, &cache](const ml::VersionRecord& record, const ml::ServingPlace& place) {
                return Describe(means, cache, record, place);
              },
          .ready = ml::SaysReady};
}

// Batches form in the process, so that only it can tell how large they are.
void AddBatchSizes(const std::string& counted, const std::string& labels,
                   std::vector<Metric>& metrics) {
  std::istringstream lines(counted);
  for (std::string line; std::getline(lines, line);) {
    size_t open = line.find('{'), close = line.find("} ");
    if (!line.starts_with("fireweed_predict_batch_rows") || close == line.npos) continue;
    size_t bound = line.find(",le=\"");
    std::string more = bound == line.npos ? "" : line.substr(bound, close - bound);
    metrics.push_back({line.substr(0, open), "Instances that were computed together, by version.",
                       "counter", labels + more, std::strtod(line.c_str() + close + 2, nullptr)});
  }
}

}  // namespace

PredictionServices::PredictionServices(Ground& ground, People& people, OperationWaiters& waiters,
                                       ControlLoop& loop)
    : writer(people.tokens, ground.clock, ground.sockets.http_address),
      requests(
          [this, &ground, &people](const ml::VersionRecord& version, const std::string& bucket,
                                   const std::string& name, const std::string& bytes) {
            return writer.Write(ReaderOf(ground, people, version), bucket, name, bytes);
          },
          ground.ids, ground.log),
      table([&loop](const std::string& key) { loop.Wake(kRecordKind<ml::VersionRecord>, key); }),
      models(ground.catalog, people.projects, people.access, ground.ids, ground.clock, ground.log),
      versions(ground.catalog, people.access, waiters, ground.ids, ground.clock, ground.log),
      gateway(ground.catalog, table, ground.clock, LimitsOf(ground.options.config.serving),
              [this](const ml::ServedExchange& exchange) { requests.Note(exchange); }) {}

void PredictionServices::Serve(net::Router& router) {
  models.Serve(router);
  versions.Serve(router);
  gateway.Serve(router);
}

void PredictionServices::CollectMetrics(std::vector<Metric>& metrics) const {
  constexpr std::chrono::seconds kLimit{1};
  std::vector<std::shared_ptr<ml::ServingTarget>> targets = table.All();
  std::vector<std::string> counted = ml::FetchMetrics(targets, kLimit);
  for (size_t at = 0; at < targets.size(); ++at) {
    const auto& target = targets[at];
    std::string labels = fmt::format("version=\"{}\"", target->name());
    const ml::ServingCounters& counters = target->counters;
    auto add = [&](const char* name, const char* help, const char* kind, int64_t value) {
      metrics.push_back({name, help, kind, labels, static_cast<double>(value)});
    };
    add("fireweed_predict_requests_total", "Predictions asked for, by version.", "counter",
        counters.requests);
    add("fireweed_predict_errors_total", "Predictions without an answer, by version.", "counter",
        counters.errors);
    add("fireweed_predict_refused_total", "Predictions over the limit, by version.", "counter",
        counters.refused);
    add("fireweed_predict_in_flight", "Predictions under way, by version.", "gauge",
        target->in_flight());
    add("fireweed_predict_microseconds_total", "Time spent on predictions, by version.", "counter",
        counters.micros);
    int64_t sum = 0;
    for (size_t i = 0; i <= ml::kLatencyBounds.size(); ++i) {
      sum += counters.buckets[i];
      std::string bound = i < ml::kLatencyBounds.size()
                              ? fmt::format("{}", static_cast<double>(ml::kLatencyBounds[i]) / 1e6)
                              : "+Inf";
      metrics.push_back({"fireweed_predict_seconds_bucket", "Predictions within so many seconds.",
                         "counter", fmt::format("{},le=\"{}\"", labels, bound),
                         static_cast<double>(sum)});
    }
    AddBatchSizes(counted[at], labels, metrics);
  }
}

PredictionController::PredictionController(const Means& means, PredictionServices& services,
                                           ControlLoop& loop, ActionPool& actions)
    : libraries(means.ground.options.program_directory + "/fireweed-serve"),
      deploy(means.ground.catalog, loop, actions, World(means, libraries), services.table,
             {.idle = std::chrono::seconds(means.ground.options.config.serving.idle_seconds)},
             means.ground.clock, means.ground.log),
      request_writer({{"request log", [&services] { services.requests.Flush(); }}},
                     std::chrono::minutes(1), means.ground.log) {}

void PredictionController::AddTo(ControlLoop& loop) {
  loop.Add(deploy);
  deploy.RemoveForgotten();
}

}  // namespace fireweed
