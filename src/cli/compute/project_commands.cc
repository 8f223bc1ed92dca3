// Operations over all scopes, and the project's own settings.
#include <fmt/format.h>

#include "cli/compute/compute_commands.h"
#include "cli/compute/compute_session.h"
#include "cli/compute/metadata_edit.h"
#include "cli/format/resource_output.h"
#include "cli/grammar.h"

namespace fireweed::cli {
namespace {

struct ProjectCommand {
  std::string name;
  bool global = false;
  PlaceOptions place;
  OutputOptions output;
  ListEdit edit;
};

using Shared = std::shared_ptr<ProjectCommand>;

constexpr std::string_view kOperationTable =
    "table(name,operationType:label=TYPE,targetLink.scope(projects):label=TARGET,"
    "httpErrorStatusCode:label=HTTP_STATUS,status,insertTime.date():label=TIMESTAMP)";

Scope ScopeOf(const ProjectCommand& command) {
  return command.global                  ? Scope::kGlobal
         : !command.place.region.empty() ? Scope::kRegion
                                         : Scope::kZone;
}

void AddOperation(Command& command, const Shared& options) {
  command.AddOption("name", options->name, "Operation, by name or address")->Required();
  options->place.AddTo(command, Scope::kZone);
  command.AddOption("--region", options->place.region, "Region of the operation");
  command.AddFlag("--global", options->global, "Global operation");
  options->output.AddTo(command, Shape::kOne);
}

void AddOperations(Command& root, Settings& settings) {
  Command& group = GroupOf(root, "operations", "Current and past operations");
  auto list = std::make_shared<ProjectCommand>();
  Command* command = group.AddCommand("list", "List operations of all scopes");
  list->place.AddTo(*command, Scope::kGlobal);
  list->output.AddTo(*command, Shape::kList);
  command->OnRun([list, &settings] {
    ComputeSession session(list->place, settings);
    fmt::print("{}", list->output.Text(session.ListAll("operations", ""),
                                       std::string(kOperationTable), Shape::kList, settings.json));
  });
  for (bool wait : {false, true}) {
    auto one = std::make_shared<ProjectCommand>();
    command = group.AddCommand(wait ? "wait" : "describe",
                               wait ? "Wait for an operation" : "Show an operation");
    AddOperation(*command, one);
    command->OnRun([one, wait, &settings] {
      ComputeSession session(one->place, settings);
      ResourceName resource = session.Resource(ScopeOf(*one), "operations", one->name);
      JsonTree operation = session.Get(resource);
      if (wait) {
        session.Wait(operation);
        operation = session.Get(resource);
      }
      fmt::print("{}", one->output.Text({operation}, "yaml", Shape::kOne, settings.json));
    });
  }
}

// As for instances: with the fingerprint of what was read, again when someone was faster.
void EditMetadata(const ProjectCommand& command, const Settings& settings, bool add) {
  ComputeSession session(command.place, settings);
  for (int attempt = 0;; ++attempt) {
    JsonTree project = session.Call("GET", "");
    const JsonTree* metadata = project.Find("commonInstanceMetadata");
    JsonTree body =
        add ? AddMetadata(metadata, command.edit) : RemoveMetadata(metadata, command.edit);
    try {
      return session.Finish(session.Call("POST", "setCommonInstanceMetadata", body), "Updated");
    } catch (const Failure& failure) {
      if (failure.error().code != Code::kPrecondition || attempt > 4) throw;
    }
  }
}

void AddProjectInfo(Command& root, Settings& settings) {
  Command& group = GroupOf(root, "project-info", "Settings that all instances of a project share");
  auto describe = std::make_shared<ProjectCommand>();
  Command* command = group.AddCommand("describe", "Show the project");
  describe->place.AddTo(*command, Scope::kGlobal);
  describe->output.AddTo(*command, Shape::kOne);
  command->OnRun([describe, &settings] {
    ComputeSession session(describe->place, settings);
    fmt::print(
        "{}", describe->output.Text({session.Call("GET", "")}, "yaml", Shape::kOne, settings.json));
  });
  for (bool add : {true, false}) {
    auto edit = std::make_shared<ProjectCommand>();
    command = group.AddCommand(
        add ? "add-metadata" : "remove-metadata",
        add ? "Set metadata of all instances" : "Remove metadata of all instances");
    edit->place.AddTo(*command, Scope::kGlobal);
    if (add)
      AddMetadataOptions(*command, edit->edit);
    else
      RemoveMetadataOptions(*command, edit->edit);
    command->OnRun([edit, add, &settings] { EditMetadata(*edit, settings, add); });
  }
}

}  // namespace

void AddProjectCommands(Command& root, Settings& settings) {
  AddOperations(root, settings);
  AddProjectInfo(root, settings);
}

}  // namespace fireweed::cli
