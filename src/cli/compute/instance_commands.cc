// What instances can do beyond the table: making them, and changing one thing while another may change it, too.
#include <fmt/format.h>

#include "base/bytes.h"
#include "cli/compute/argument_lists.h"
#include "cli/compute/compute_commands.h"
#include "cli/compute/instance_options.h"
#include "cli/compute/metadata_edit.h"
#include "cli/compute/nouns.h"
#include "cli/format/resource_output.h"
#include "cli/grammar.h"
#include "cli/storage/retry.h"

namespace fireweed::cli {
namespace {

struct InstanceCommand {
  std::vector<std::string> names;
  PlaceOptions place;
  InstanceOptions instance;
  OutputOptions output;
  ListEdit edit;
  int64_t start = 0, port = 1;
  std::string disk, device_name, mode = "rw", query_path;
  std::string service_account;
  std::vector<std::string> scopes;
  bool follow = false, boot = false;
};

using Shared = std::shared_ptr<InstanceCommand>;

ResourceName Named(const ComputeSession& session, const std::string& name) {
  return session.Resource(Scope::kZone, "instances", name);
}

void Create(const InstanceCommand& command, const Settings& settings) {
  ComputeSession session(command.place, settings);
  std::string path = session.Collection(Scope::kZone, "instances");
  const std::string& source = command.instance.template_name;
  if (!source.empty())
    path += "?sourceInstanceTemplate=" +
            PercentEncode(session.Link(Scope::kGlobal, "instanceTemplates", source));
  std::vector<JsonTree> operations, made;
  for (const std::string& name : command.names) {
    // What a template says is only replaced by what was said here.
    JsonTree body = source.empty() ? command.instance.Resource(session, false) : JsonTree::Object();
    body["name"] = JsonTree::Text(name);
    operations.push_back(session.Call("POST", path, body));
  }
  for (const JsonTree& operation : operations) session.Finish(operation, "Created");
  if (command.place.async) return;
  for (const std::string& name : command.names) made.push_back(session.Get(Named(session, name)));
  fmt::print("{}",
             command.output.Text(made, std::string(kInstanceTable), Shape::kList, settings.json));
}

// Reads, edits and writes back with the fingerprint; someone else in between means once more.
void Edit(const InstanceCommand& command, const Settings& settings, const FieldEdit& field) {
  ComputeSession session(command.place, settings);
  for (const std::string& name : command.names) {
    ResourceName resource = Named(session, name);
    for (int attempt = 0;; ++attempt) {
      JsonTree body = field.Body(session.Get(resource), command.edit);
      try {
        session.Finish(session.Call("POST", resource.path + "/" + std::string(field.method), body,
                                    resource.project),
                       "Updated");
        break;
      } catch (const Failure& failure) {
        if (failure.error().code != Code::kPrecondition || attempt > 4) throw;
      }
    }
  }
}

// --follow asks again; the serial port has no way to wait.
void SerialPort(const InstanceCommand& command, const Settings& settings) {
  ComputeSession session(command.place, settings);
  ResourceName resource = Named(session, command.names.at(0));
  int64_t start = command.start;
  StopSignal never;
  do {
    JsonTree output = session.Call(
        "GET", fmt::format("{}/serialPort?port={}&start={}", resource.path, command.port, start),
        {}, resource.project);
    if (settings.json)
      fmt::print("{}\n", output.Compact());
    else
      fmt::print("{}", output.TextOf("contents"));
    std::fflush(stdout);
    int64_t next = std::atoll(output.TextOf("next").c_str());
    if (command.follow && next == start) {
      // An instance that is gone says nothing more.
      std::string status = session.Get(resource).TextOf("status");
      if (status == "TERMINATED" || status == "STOPPED") return;
      never.WaitFor(std::chrono::milliseconds(500));
    }
    start = next;
  } while (command.follow);
}

void AttachDisk(const InstanceCommand& command, const Settings& settings) {
  ComputeSession session(command.place, settings);
  JsonTree body = JsonTree::Object();
  body["source"] = JsonTree::Text(session.Link(Scope::kZone, "disks", command.disk));
  body["mode"] = JsonTree::Text(command.mode == "ro" ? "READ_ONLY" : "READ_WRITE");
  body["boot"] = JsonTree::Bool(command.boot);
  if (!command.device_name.empty()) body["deviceName"] = JsonTree::Text(command.device_name);
  ResourceName resource = Named(session, command.names.at(0));
  session.Finish(session.Call("POST", resource.path + "/attachDisk", body, resource.project),
                 "Updated");
}

void DetachDisk(const InstanceCommand& command, const Settings& settings) {
  ComputeSession session(command.place, settings);
  ResourceName resource = Named(session, command.names.at(0));
  std::string device = command.device_name;
  if (device.empty()) {
    std::string link = session.Link(Scope::kZone, "disks", command.disk);
    JsonTree instance = session.Get(resource);
    const JsonTree* disks = instance.Find("disks");
    for (const JsonTree& disk : disks ? disks->items() : std::vector<JsonTree>()) {
      if (LastWord(disk.TextOf("source")) == LastWord(link)) device = disk.TextOf("deviceName");
    }
    if (device.empty())
      throw Failure(Code::kNotFound, fmt::format("disk {} is not attached", command.disk));
  }
  std::string path =
      fmt::format("{}/detachDisk?deviceName={}", resource.path, PercentEncode(device));
  session.Finish(session.Call("POST", path, {}, resource.project), "Updated");
}

void SetServiceAccount(const InstanceCommand& command, const Settings& settings) {
  ComputeSession session(command.place, settings);
  JsonTree body = JsonTree::Object();
  body["email"] = JsonTree::Text(command.service_account);
  body["scopes"] = JsonTree::List();
  for (const std::string& scope : SplitLists(command.scopes))
    body["scopes"].Append(JsonTree::Text(ScopeUrl(scope)));
  for (const std::string& name : command.names) {
    ResourceName resource = Named(session, name);
    session.Finish(
        session.Call("POST", resource.path + "/setServiceAccount", body, resource.project),
        "Updated");
  }
}

void GuestAttributes(const InstanceCommand& command, const Settings& settings) {
  ComputeSession session(command.place, settings);
  ResourceName resource = Named(session, command.names.at(0));
  JsonTree reply = session.Call("GET",
                                fmt::format("{}/getGuestAttributes?queryPath={}", resource.path,
                                            PercentEncode(command.query_path)),
                                {}, resource.project);
  const JsonTree* value = reply.Find("queryValue");
  const JsonTree* items = value ? value->Find("items") : nullptr;
  std::vector<JsonTree> rows = items ? items->items() : std::vector<JsonTree>();
  fmt::print("{}",
             command.output.Text(rows, "table(namespace,key,value)", Shape::kList, settings.json));
}

Command* AddOne(Command& group, const char* name, const char* help, const Shared& options) {
  Command* command = group.AddCommand(name, help);
  command->AddOption("names", options->names, "Instances")->Required();
  options->place.AddTo(*command, Scope::kZone);
  return command;
}

void AddEdits(Command& group, Settings& settings) {
  for (const FieldEdit& field : InstanceEdits()) {
    auto options = std::make_shared<InstanceCommand>();
    Command* command = AddOne(group, field.word.data(), field.help.data(), options);
    field.AddTo(*command, options->edit);
    command->AddFlag("--async", options->place.async, "Return without waiting");
    command->OnRun([options, &field, &settings] { Edit(*options, settings, field); });
  }
}

void AddSerialPort(Command& group, const char* name, bool follow, Settings& settings) {
  auto serial = std::make_shared<InstanceCommand>();
  serial->follow = follow;
  Command* command =
      AddOne(group, name, follow ? "Follow the serial port" : "Show the serial port", serial);
  command->AddOption("--start", serial->start, "First byte to show");
  command->AddOption("--port", serial->port, "1 to 4")->Between(1, 4);
  if (std::string_view(name) == "logs") {
    serial->follow = false;
    command->AddFlag("-f,--follow", serial->follow, "Follow until the instance stops");
  }
  command->OnRun([serial, &settings] { SerialPort(*serial, settings); });
}

void AddDisks(Command& group, Settings& settings) {
  auto attach = std::make_shared<InstanceCommand>();
  Command* command = AddOne(group, "attach-disk", "Attach a disk", attach);
  command->AddOption("--disk", attach->disk, "Disk")->Required();
  command->AddOption("--device-name", attach->device_name, "Device name inside the instance");
  command->AddOption("--mode", attach->mode, "rw or ro")->OneOf({"rw", "ro"});
  command->AddFlag("--boot", attach->boot, "Boot from it");
  command->OnRun([attach, &settings] { AttachDisk(*attach, settings); });
  auto detach = std::make_shared<InstanceCommand>();
  command = AddOne(group, "detach-disk", "Detach a disk", detach);
  command->AddOption("--disk", detach->disk, "Disk");
  command->AddOption("--device-name", detach->device_name, "Device name inside the instance");
  command->OnRun([detach, &settings] { DetachDisk(*detach, settings); });
}

}  // namespace

void AddInstanceCommands(Command& root, Settings& settings) {
  Command& group = GroupOf(root, "instances");
  auto create = std::make_shared<InstanceCommand>();
  Command* command = AddOne(group, "create", "Create and boot instances", create);
  command->AddFlag("--async", create->place.async, "Return without waiting until they run");
  command->AddOption("--source-instance-template", create->instance.template_name,
                     "Template to create them from");
  create->instance.AddTo(*command);
  create->output.AddTo(*command, Shape::kOne);
  command->EndHelpWith(
      "Example:\n  fireweed compute instances create trainer --machine-type n1-standard-4 \\\n"
      "    --metadata-from-file startup-script=train.sh --scopes cloud-platform --preemptible");
  command->OnRun([create, &settings] { Create(*create, settings); });
  AddEdits(group, settings);
  AddSerialPort(group, "get-serial-port-output", false, settings);
  AddSerialPort(group, "tail-serial-port-output", true, settings);
  AddSerialPort(group, "logs", false, settings);
  AddDisks(group, settings);
  auto account = std::make_shared<InstanceCommand>();
  command = AddOne(group, "set-service-account", "Change the service account of stopped instances",
                   account);
  command->AddOption("--service-account", account->service_account, "E-mail");
  command->AddOption("--scopes", account->scopes, "SCOPE,...")->OneWordEach();
  command->OnRun([account, &settings] { SetServiceAccount(*account, settings); });
  auto attributes = std::make_shared<InstanceCommand>();
  command = AddOne(group, "get-guest-attributes", "Show guest attributes", attributes);
  command->AddOption("--query-path", attributes->query_path, "NAMESPACE/KEY");
  attributes->output.AddTo(*command, Shape::kList);
  command->OnRun([attributes, &settings] { GuestAttributes(*attributes, settings); });
}

}  // namespace fireweed::cli
