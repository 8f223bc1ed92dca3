// Templates, and the members of groups.
#include <fmt/format.h>

#include "base/clock.h"
#include "cli/compute/argument_lists.h"
#include "cli/compute/compute_commands.h"
#include "cli/compute/instance_options.h"
#include "cli/format/resource_output.h"
#include "cli/grammar.h"
#include "cli/storage/retry.h"

namespace fireweed::cli {
namespace {

struct GroupCommand {
  std::vector<std::string> names;
  PlaceOptions place;
  InstanceOptions instance;
  OutputOptions output;
  std::vector<std::string> instances;
  bool stable = false;
  int64_t timeout = 600;
};

using Shared = std::shared_ptr<GroupCommand>;

constexpr std::string_view kManagers = "instanceGroupManagers";

void CreateTemplate(const GroupCommand& command, const Settings& settings) {
  ComputeSession session(command.place, settings);
  JsonTree body = JsonTree::Object();
  body["name"] = JsonTree::Text(command.names.at(0));
  if (!command.instance.description.empty())
    body["description"] = JsonTree::Text(command.instance.description);
  body["properties"] = command.instance.Resource(session, true);
  session.Finish(session.Call("POST", "global/instanceTemplates", body), "Created");
}

void ListMembers(const GroupCommand& command, const Settings& settings) {
  ComputeSession session(command.place, settings);
  ResourceName group = session.Resource(Scope::kZone, kManagers, command.names.at(0));
  std::vector<JsonTree> members =
      session.List(group.path + "/listManagedInstances", "managedInstances", "POST");
  fmt::print("{}", command.output.Text(
                       members,
                       "table(instance.basename():label=NAME,instance.scope(zones).segment("
                       "0):label=ZONE,instanceStatus:label=STATUS,currentAction:label="
                       "ACTION,version.instanceTemplate.basename():label="
                       "INSTANCE_TEMPLATE,lastAttempt.errors.errors[0].message:label="
                       "LAST_ERROR)",
                       Shape::kList, settings.json));
}

void ListErrors(const GroupCommand& command, const Settings& settings) {
  ComputeSession session(command.place, settings);
  ResourceName group = session.Resource(Scope::kZone, kManagers, command.names.at(0));
  fmt::print("{}",
             command.output.Text(session.List(group.path + "/listErrors"),
                                 "table(instanceActionDetails.instance.basename():label=INSTANCE,"
                                 "instanceActionDetails.action,error.code,error.message,timestamp)",
                                 Shape::kList, settings.json));
}

void ListUnmanaged(const GroupCommand& command, const Settings& settings) {
  ComputeSession session(command.place, settings);
  ResourceName group = session.Resource(Scope::kZone, "instanceGroups", command.names.at(0));
  fmt::print("{}", command.output.Text(session.List(group.path + "/listInstances", "items", "POST"),
                                       "table(instance.basename():label=NAME,status)", Shape::kList,
                                       settings.json));
}

void ListAllGroups(const GroupCommand& command, const Settings& settings) {
  ComputeSession session(command.place, settings);
  fmt::print("{}",
             command.output.Text(session.ListAll("instanceGroups", ""),
                                 "table(name,zone.basename():label=LOCATION,network.basename()"
                                 ",size:label=INSTANCES)",
                                 Shape::kList, settings.json));
}

// Nothing in the API waits for a group, so it is asked again.
void WaitUntilStable(const GroupCommand& command, const Settings& settings) {
  ComputeSession session(command.place, settings);
  ResourceName group = session.Resource(Scope::kZone, kManagers, command.names.at(0));
  SystemClock clock;
  Time end = clock.Now() + std::chrono::seconds(command.timeout);
  StopSignal never;
  while (true) {
    JsonTree now = session.Get(group);
    const JsonTree* status = now.Find("status");
    if (status && status->TextOf("isStable") == "true") break;
    if (clock.Now() >= end) {
      throw Failure(Code::kUnavailable,
                    fmt::format("group {} is not stable after {} s", group.name, command.timeout));
    }
    never.WaitFor(std::chrono::milliseconds(500));
  }
  session.Say(fmt::format("Group {} is stable", group.name));
}

void CreateMember(const GroupCommand& command, const Settings& settings) {
  ComputeSession session(command.place, settings);
  ResourceName group = session.Resource(Scope::kZone, kManagers, command.names.at(0));
  JsonTree body = JsonTree::Object();
  for (const std::string& name : SplitLists(command.instances)) {
    JsonTree member = JsonTree::Object();
    member["name"] = JsonTree::Text(name);
    body["instances"].Append(std::move(member));
  }
  session.Finish(session.Call("POST", group.path + "/createInstances", body, group.project),
                 "Updated");
}

using Action = void (*)(const GroupCommand&, const Settings&);

Command* AddOne(Command& group, const char* name, const char* help, Settings& settings,
                const Shared& options, Action action) {
  Command* command = group.AddCommand(name, help);
  command->AddOption("names", options->names, "Group")->Required()->Words(1, 1);
  options->place.AddTo(*command, Scope::kZone);
  command->OnRun([options, action, &settings] { action(*options, settings); });
  return command;
}

}  // namespace

void AddGroupCommands(Command& root, Settings& settings) {
  auto make = [] { return std::make_shared<GroupCommand>(); };
  Command& templates = GroupOf(root, "instance-templates");
  Shared create = make();
  Command* command = templates.AddCommand("create", "Create an instance template");
  command->AddOption("names", create->names, "Template name")->Required()->Words(1, 1);
  create->place.AddTo(*command, Scope::kGlobal);
  command->AddFlag("--async", create->place.async, "Return without waiting");
  create->instance.AddTo(*command);
  command->OnRun([create, &settings] { CreateTemplate(*create, settings); });

  Command& managed = GroupOf(root, "instance-groups managed");
  Shared list = make();
  command =
      AddOne(managed, "list-instances", "List a group's members", settings, list, ListMembers);
  list->output.AddTo(*command, Shape::kList);
  Shared errors = make();
  command = AddOne(managed, "list-errors", "List a group's errors", settings, errors, ListErrors);
  errors->output.AddTo(*command, Shape::kList);
  Shared wait = make();
  command = AddOne(managed, "wait-until", "Wait until a group is stable", settings, wait,
                   WaitUntilStable);
  command->AddFlag("--stable", wait->stable, "Wait until all members run unchanged");
  command->AddOption("--timeout", wait->timeout, "Timeout in seconds")->ShowDefault();
  Shared member = make();
  command = AddOne(managed, "create-instance", "Add a member with a chosen name", settings, member,
                   CreateMember);
  command->AddOption("--instance,--instances", member->instances, "NAME,...")
      ->Required()
      ->OneWordEach();
  Shared unmanaged = make();
  command = AddOne(GroupOf(root, "instance-groups unmanaged"), "list-instances",
                   "List a group's members", settings, unmanaged, ListUnmanaged);
  unmanaged->output.AddTo(*command, Shape::kList);
  Shared all = make();
  command = GroupOf(root, "instance-groups").AddCommand("list", "List groups of both kinds");
  all->place.AddTo(*command, Scope::kGlobal);
  all->output.AddTo(*command, Shape::kList);
  command->OnRun([all, &settings] { ListAllGroups(*all, settings); });
}

}  // namespace fireweed::cli
