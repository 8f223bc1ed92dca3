#include "ml/environments/environment_plan.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/bytes.h"
#include "base/checksum.h"
#include "ml/job_log.h"

namespace fireweed::ml {
namespace {

// Grows when the builder makes something else of the same order.
constexpr const char* kLayout = "1";
constexpr size_t kKeyDigits = 24;

std::string KeyOf(std::string_view kind, const std::string& contents) {
  return fmt::format("{}-{}", kind,
                     HexEncode(Hash(Digest::kSha256, contents)).substr(0, kKeyDigits));
}

std::string FileName(const std::string& uri) { return uri.substr(uri.rfind('/') + 1); }

// Two packages of one name would be one file.
std::string UniqueName(const std::vector<PackageFile>& taken, const std::string& uri) {
  std::string name = FileName(uri);
  for (const PackageFile& other : taken) {
    if (other.name == name) return fmt::format("{}/{}", taken.size(), name);
  }
  return name;
}

}  // namespace

std::optional<EnvironmentRecord> RuntimeEnvironment(const Runtime& runtime,
                                                    const EnvironmentWish& wish,
                                                    const ReplicaWorld& world) {
  if (runtime.requirements.empty() || !wish.python) return std::nullopt;
  bool cuda = wish.accelerated && !runtime.accelerated.empty();
  EnvironmentRecord record{.project = wish.project,
                           .runtime = wish.runtime_version,
                           .requirements = cuda ? runtime.accelerated : runtime.requirements,
                           .shared = true};
  record.key = KeyOf("runtime", fmt::format("{}\n{}\n{}", kLayout, world.python,
                                            FingerprintOf(record.requirements)));
  return record;
}

EnvironmentRecord PackageEnvironment(const Runtime& runtime, const EnvironmentWish& wish,
                                     const std::vector<PackageSight>& sights,
                                     const std::string& base, const ReplicaWorld& world) {
  EnvironmentRecord record{.project = wish.project,
                           .account = wish.account,
                           .runtime = wish.runtime_version,
                           .base = base,
                           .python = wish.python,
                           .strict = wish.strict};
  std::string contents = fmt::format("{}\n{}\n{}\n{}\n{}\n{}", kLayout, world.python, base,
                                     FingerprintOf(runtime.requirements), wish.python, wish.strict);
  for (size_t i = 0; i < sights.size(); ++i) {
    const std::string& uri = wish.package_uris[i];
    record.packages.push_back(
        {uri, UniqueName(record.packages, uri), sights[i].generation, sights[i].sum});
    contents += fmt::format("\n{} {}", record.packages.back().name, sights[i].sum);
  }
  record.key = KeyOf("packages", contents);
  return record;
}

EnvironmentReady ReadyOf(const Runtime& runtime, const EnvironmentRecord* base,
                         const EnvironmentRecord* packages, const EnvironmentPlace& place,
                         const ReplicaWorld& world) {
  EnvironmentReady ready;
  std::string path;
  for (const EnvironmentRecord* record : {packages, base}) {
    if (!record) continue;
    std::string at = place.PathOf(*record);
    ready.mounts.push_back({.path = at});
    if (ready.key.empty()) ready.key = record->key;
    if (record->python && ready.interpreter.empty()) {
      ready.interpreter = at + "/upper/venv/bin/python";
    }
    if (record->python) path += at + "/upper/venv/bin:";
    if (!record->python) ready.tree = at + "/upper/tree";
  }
  if (packages) ready.warnings = packages->warnings;
  if (packages && !packages->python) return ready;
  if (ready.interpreter.empty()) ready.interpreter = world.python;
  ready.mounts.push_back({.path = place.scripts()});
  ready.environment = {{"PYTHONUNBUFFERED", "1"},
                       {"PYTHONDONTWRITEBYTECODE", "1"},
                       {"PYTHONPATH", place.scripts() + "/shims"},
                       {"FIREWEED_SHIMS", fmt::format("{}", fmt::join(runtime.shims, ","))}};
  if (!world.own_root) return ready;
  ready.environment["PATH"] = path + "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
  // Libraries that bring a list of authorities of their own do not know the daemon's.
  for (const char* name : {"REQUESTS_CA_BUNDLE", "SSL_CERT_FILE", "CURL_CA_BUNDLE",
                           "GRPC_DEFAULT_SSL_ROOTS_FILE_PATH"}) {
    ready.environment[name] = "/etc/ssl/certs/ca-certificates.crt";
  }
  return ready;
}

std::vector<std::string> WarningsOf(const Runtime& runtime, const EnvironmentWish& wish) {
  if (!wish.python || wish.python_version.empty() || wish.python_version == "3.11") return {};
  bool expected = std::ranges::find(runtime.python, wish.python_version) != runtime.python.end();
  return {fmt::format("Python {} was asked for{}; Python 3.11 runs the trainer.",
                      wish.python_version,
                      expected || runtime.python.empty() ? "" : ", which this runtime never had")};
}

api::compute::InsertInstance BuilderRequest(const EnvironmentRecord& record,
                                            const ReplicaWorld& world) {
  api::compute::InsertInstance request{.project = record.project, .zone = world.zone};
  api::compute::Instance& body = request.body;
  body.name = fmt::format("fireweed-{}-{}", record.key, record.attempts);
  body.machineType = fmt::format("zones/{}/machineTypes/n1-standard-4", world.zone);
  body.labels = {{kHiddenLabel, "1"}, {kEnvironmentLabel, record.key}};
  api::compute::AttachedDisk disk;
  disk.boot = disk.autoDelete = true;
  disk.initializeParams.emplace().sourceImage =
      "projects/debian-cloud/global/images/family/debian-12";
  body.disks.push_back(std::move(disk));
  body.networkInterfaces.emplace_back().network = "global/networks/default";
  body.scheduling.automaticRestart = false;
  return request;
}

compute::Workload BuilderWorkload(const EnvironmentRecord& record, const std::string& base_path,
                                  const EnvironmentPlace& place, const ReplicaWorld& world) {
  std::string target = place.BuildPathOf(record);
  compute::Workload workload{
      .argv = {world.python, place.scripts() + "/build_environment.py",
               target + "/upper/order.json"},
      .mounts = {{.path = place.scripts()}, {.path = target, .writable = true}}};
  if (!base_path.empty()) workload.mounts.push_back({.path = base_path});
  return workload;
}

std::vector<std::string> PythonCommand(const EnvironmentReady& ready, const std::string& module,
                                       const std::vector<std::string>& args) {
  std::vector<std::string> command{ready.interpreter, "-m", module};
  command.insert(command.end(), args.begin(), args.end());
  return command;
}

}  // namespace fireweed::ml
