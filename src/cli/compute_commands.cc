#include <fstream>
#include <sstream>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "api/compute/methods.h"
#include "cli/commands.h"
#include "cli/output.h"
#include "client/rest_client.h"

namespace fireweed::cli {
namespace {

namespace compute = api::compute;

struct InstanceOptions {
  std::vector<std::string> names;
  std::string project, zone;
  std::string machine_type = "n1-standard-1", image, image_family = "debian-12",
              image_project = "debian-cloud";
  std::vector<std::string> metadata, metadata_files, scopes, labels;
  bool preemptible = false, async = false, quiet = false;
  int64_t start = 0;
};

// Fills in the daemon's project and zone where none was named, and knows the way to the API.
struct ComputeSession {
  std::string project, zone;
  RestClient client;
  ComputeSession(const InstanceOptions& options, const Settings& settings)
      : ComputeSession(options, settings, settings.Daemon()) {}
  ComputeSession(const InstanceOptions& options, const Settings& settings, const Endpoint& endpoint)
      : project(options.project.empty() ? endpoint.default_project : options.project),
        zone(options.zone.empty() ? endpoint.zone : options.zone),
        client(endpoint, ReadOwner(settings.State())) {}

  std::string Path(std::string_view rest) const {
    return fmt::format("https://www.googleapis.com/compute/v1/projects/{}/{}", project, rest);
  }
};

std::string LastWord(const std::string& url) { return url.substr(url.rfind('/') + 1); }

std::pair<std::string, std::string> SplitPair(const std::string& text, std::string_view flag) {
  size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0) {
    throw Failure(Code::kInvalid, fmt::format("{}: '{}' is not KEY=VALUE", flag, text));
  }
  return {text.substr(0, equals), text.substr(equals + 1)};
}

compute::Metadata ReadMetadata(const InstanceOptions& options) {
  compute::Metadata metadata;
  for (const std::string& text : options.metadata) {
    auto [key, value] = SplitPair(text, "--metadata");
    metadata.items.push_back({key, value});
  }
  for (const std::string& text : options.metadata_files) {
    auto [key, path] = SplitPair(text, "--metadata-from-file");
    std::ifstream file(path);
    if (!file) throw Failure(Code::kNotFound, fmt::format("cannot read {}", path));
    std::stringstream contents;
    contents << file.rdbuf();
    metadata.items.push_back({key, contents.str()});
  }
  return metadata;
}

// "cloud-platform" is short for its URL, as in gcloud.
std::string ScopeUrl(const std::string& scope) {
  return scope.find("://") == std::string::npos ? "https://www.googleapis.com/auth/" + scope
                                                : scope;
}

compute::Instance Describe(const std::string& name, const InstanceOptions& options,
                           const ComputeSession& session) {
  compute::Instance instance;
  instance.name = name;
  instance.machineType =
      session.Path(fmt::format("zones/{}/machineTypes/{}", session.zone, options.machine_type));
  compute::AttachedDisk disk;
  disk.boot = disk.autoDelete = true;
  disk.initializeParams.emplace();
  disk.initializeParams->sourceImage =
      fmt::format("https://www.googleapis.com/compute/v1/projects/{}/global/images/{}",
                  options.image.empty() ? options.image_project : session.project,
                  options.image.empty() ? "family/" + options.image_family : options.image);
  instance.disks.push_back(disk);
  instance.metadata = ReadMetadata(options);
  compute::NetworkInterface network;
  network.network = session.Path("global/networks/default");
  network.accessConfigs.push_back({.type = "ONE_TO_ONE_NAT", .name = "external-nat"});
  instance.networkInterfaces.push_back(network);
  instance.scheduling.preemptible = options.preemptible;
  if (options.preemptible) instance.scheduling.automaticRestart = false;
  compute::InstanceServiceAccount account;
  account.email = "default";
  for (const std::string& scope : options.scopes) account.scopes.push_back(ScopeUrl(scope));
  if (!account.scopes.empty()) instance.serviceAccounts.push_back(account);
  for (const std::string& text : options.labels)
    instance.labels.insert(SplitPair(text, "--labels"));
  return instance;
}

// Waits until the operation is done; its error is this command's error.
void Wait(ComputeSession& session, compute::Operation operation) {
  while (operation.status != compute::OperationStatus::kDone) {
    operation =
        session.client.Call(compute::kWaitZoneOperation,
                            compute::GetZonal{session.project, session.zone, operation.name});
  }
  for (const compute::Warning& warning : operation.warnings) {
    fmt::print(stderr, "warning: {}\n", warning.message);
  }
  if (operation.error && !operation.error->errors.empty()) {
    const compute::OperationErrorItem& error = operation.error->errors.front();
    throw Failure(Code::kInternal, fmt::format("{}: {}", error.code, error.message));
  }
}

void PrintInstances(const std::vector<compute::Instance>& instances, const Settings& settings) {
  if (settings.json) {
    fmt::print("{}\n", EncodeJson(instances, Audience::kWire));
    return;
  }
  Table table(
      {"NAME", "ZONE", "MACHINE_TYPE", "PREEMPTIBLE", "INTERNAL_IP", "EXTERNAL_IP", "STATUS"});
  for (const compute::Instance& instance : instances) {
    std::string inner, outer;
    if (!instance.networkInterfaces.empty()) {
      const compute::NetworkInterface& network = instance.networkInterfaces.front();
      inner = network.networkIP;
      if (!network.accessConfigs.empty()) outer = network.accessConfigs.front().natIP;
    }
    table.Add({instance.name, LastWord(instance.zone), LastWord(instance.machineType),
               instance.scheduling.preemptible ? "true" : "", inner, outer,
               std::string(EnumName(instance.status))});
  }
  fmt::print("{}", table.Text());
}

void Create(const InstanceOptions& options, const Settings& settings) {
  ComputeSession session(options, settings);
  std::vector<compute::Operation> operations;
  for (const std::string& name : options.names) {
    compute::InsertInstance request;
    request.project = session.project;
    request.zone = session.zone;
    request.body = Describe(name, options, session);
    operations.push_back(session.client.Call(compute::kInsertInstance, request));
  }
  if (options.async) return;
  std::vector<compute::Instance> made;
  for (size_t i = 0; i < operations.size(); ++i) {
    Wait(session, operations[i]);
    made.push_back(session.client.Call(
        compute::kGetInstance, compute::GetZonal{session.project, session.zone, options.names[i]}));
  }
  PrintInstances(made, settings);
}

void List(const InstanceOptions& options, const Settings& settings) {
  ComputeSession session(options, settings);
  compute::ListProject request;
  request.project = session.project;
  auto scopes = session.client.Call(compute::kAggregateInstances, request);
  std::vector<compute::Instance> instances;
  for (const auto& [scope, list] : scopes.items) {
    instances.insert(instances.end(), list.instances.begin(), list.instances.end());
  }
  PrintInstances(instances, settings);
}

using Change = api::Method<compute::ChangeInstance, compute::Operation>;

void ChangeAll(const Change& method, std::string_view done, const InstanceOptions& options,
               const Settings& settings) {
  ComputeSession session(options, settings);
  std::vector<compute::Operation> operations;
  for (const std::string& name : options.names) {
    operations.push_back(session.client.Call(
        method, compute::ChangeInstance{session.project, session.zone, name, ""}));
  }
  for (size_t i = 0; i < operations.size() && !options.async; ++i) {
    Wait(session, operations[i]);
    if (!settings.json) fmt::print("{} {}\n", done, options.names[i]);
  }
}

void SerialPort(const InstanceOptions& options, const Settings& settings) {
  ComputeSession session(options, settings);
  compute::GetSerialPort request;
  request.project = session.project;
  request.zone = session.zone;
  request.name = options.names.at(0);
  request.start = options.start;
  compute::SerialPortOutput output = session.client.Call(compute::kGetSerialPort, request);
  if (settings.json)
    fmt::print("{}\n", EncodeJson(output, Audience::kWire));
  else
    fmt::print("{}", output.contents);
}

// A command on named instances, with the options all of them share.
CLI::App* AddInstanceCommand(CLI::App& group, const char* name, const char* help,
                             InstanceOptions& options, bool named) {
  CLI::App* command = group.add_subcommand(name, help);
  if (named) command->add_option("names", options.names, "Instances")->required();
  command->add_option("--project", options.project, "Project (default: the daemon's)");
  command->add_option("--zone", options.zone, "Zone (default: the daemon's)");
  return command;
}

void AddCreate(CLI::App& group, const std::shared_ptr<InstanceOptions>& options,
               Settings& settings) {
  CLI::App* command =
      AddInstanceCommand(group, "create", "Make and boot instances", *options, true);
  command->add_option("--machine-type", options->machine_type, "Machine type")
      ->capture_default_str();
  command->add_option("--image", options->image, "Image of this project");
  command->add_option("--image-family", options->image_family, "Newest image of a family")
      ->capture_default_str();
  command->add_option("--image-project", options->image_project, "Project of the family")
      ->capture_default_str();
  command->add_option("--metadata", options->metadata, "KEY=VALUE,...")->delimiter(',');
  command->add_option("--metadata-from-file", options->metadata_files, "KEY=PATH,...")
      ->delimiter(',');
  command->add_option("--scopes", options->scopes, "Scopes of its service account")->delimiter(',');
  command->add_option("--labels", options->labels, "KEY=VALUE,...")->delimiter(',');
  command->add_flag("--preemptible", options->preemptible, "May be taken back at any time");
  command->add_flag("--async", options->async, "Do not wait until it is done");
  command->callback([options, &settings] { Create(*options, settings); });
}

}  // namespace

void AddComputeCommands(CLI::App& app, Settings& settings) {
  CLI::App* root = app.add_subcommand("compute", "Compute instances, in gcloud's grammar");
  root->require_subcommand(1);
  CLI::App* group = root->add_subcommand("instances", "Instances");
  group->require_subcommand(1);
  auto options = std::make_shared<InstanceOptions>();
  AddCreate(*group, options, settings);
  AddInstanceCommand(*group, "list", "List instances", *options, false)
      ->callback([options, &settings] { List(*options, settings); });
  AddInstanceCommand(*group, "describe", "Show an instance", *options, true)
      ->callback([options, &settings] {
        ComputeSession session(*options, settings);
        compute::GetZonal request{session.project, session.zone, options->names.at(0)};
        fmt::print("{}\n", EncodeJson(session.client.Call(compute::kGetInstance, request),
                                      Audience::kWire));
      });
  struct Verb {
    const char *name, *help, *done;
    const Change& method;
  };
  for (const Verb& verb :
       {Verb{"delete", "Delete instances", "deleted", compute::kDeleteInstance},
        Verb{"start", "Start stopped instances", "started", compute::kStartInstance},
        Verb{"stop", "Stop instances", "stopped", compute::kStopInstance},
        Verb{"reset", "Boot instances anew", "reset", compute::kResetInstance}}) {
    CLI::App* command = AddInstanceCommand(*group, verb.name, verb.help, *options, true);
    command->add_flag("--async", options->async, "Do not wait until it is done");
    command->add_flag("-q,--quiet", options->quiet, "Accepted for gcloud's sake: nothing is asked");
    const Change* method = &verb.method;
    std::string done = verb.done;
    command->callback([=, &settings] { ChangeAll(*method, done, *options, settings); });
  }
  CLI::App* serial =
      AddInstanceCommand(*group, "get-serial-port-output", "Show the console", *options, true);
  serial->add_option("--start", options->start, "From this byte on");
  serial->callback([options, &settings] { SerialPort(*options, settings); });
}

}  // namespace fireweed::cli
