// `fireweed notebooks`: Jupyter in instances.
#include "cli/notebooks/notebook_commands.h"

#include "cli/grammar.h"
#include "cli/notebooks/notebook_actions.h"

namespace fireweed::cli {
namespace {

using Shared = std::shared_ptr<NotebookCommand>;

Command* AddOne(Command& group, const char* word, const char* help, const Shared& options) {
  Command* command = group.AddCommand(word, help);
  command->AddOption("name", options->notebook.name, "Notebook")->Required();
  return command;
}

void AddDeleteFlags(Command& command, NotebookCommand& options) {
  Flag* remove =
      command.AddFlag("--delete-disk", options.delete_disk, "Also delete the notebook disk");
  command.AddFlag("--keep-disk", options.keep_disk, "Keep the notebook disk (default)")
      ->Excludes(remove);
}

void AddCreate(Command& group, const Shared& options, Settings& settings) {
  NotebookOptions& notebook = options->notebook;
  Command* command = AddOne(group, "create", "Create a notebook and print its URL", options);
  command->AddOption("--machine-type", notebook.machine_type, "Machine type")->ShowDefault();
  command->AddOption("--disk-name", notebook.disk_name,
                     "Disk for notebooks, created if missing (default: NAME-pd)");
  command->AddOption("--disk-size", notebook.disk_size, "Size of a new disk")->ShowDefault();
  command->AddOption("--repository", notebook.repository, "Git URL, cloned at the first start");
  command->AddOption("--package", notebook.packages, "Another package for pip; repeatable")
      ->OneWordEach();
  command->AddOption("--wheels", notebook.wheels,
                     "gs:// directory with all wheels, for instances without internet");
  command->AddOption("--idle-timeout", notebook.idle_timeout,
                     "Stop after this long without use: 90m (default: never)");
  command->AddOption("--image", notebook.image, "Image");
  command->AddOption("--image-family", notebook.image_family, "Newest image of a family");
  command->AddOption("--image-project", notebook.image_project, "Project of the image or family");
  command->AddOption("--service-account", notebook.service_account,
                     "Service account the notebook runs as");
  command->AddFlag("--async", options->place.async, "Do not wait until Jupyter answers");
  options->place.AddTo(*command, Scope::kZone);
  options->output.AddTo(*command, Shape::kOne);
  command->EndHelpWith(
      "Example:\n  fireweed notebooks create lab --repository https://example.com/x.git");
  command->OnRun([options, &settings] { CreateNotebook(*options, settings); });
}

// The commands that need a name and no more.
void AddPlain(Command& group, const char* word, const char* help, Settings& settings,
              void (*act)(const NotebookCommand&, const Settings&)) {
  auto options = std::make_shared<NotebookCommand>();
  Command* command = AddOne(group, word, help, options);
  options->place.AddTo(*command, Scope::kZone);
  std::string_view name = word;
  if (name == "describe" || name == "start") options->output.AddTo(*command, Shape::kOne);
  if (name == "start")
    command->AddFlag("--async", options->place.async, "Do not wait until Jupyter answers");
  if (name == "delete") AddDeleteFlags(*command, *options);
  if (name == "connect")
    command->AddOption("--port", options->port, "Local port; 0: any")->ShowDefault();
  command->OnRun([options, act, &settings] { act(*options, settings); });
}

}  // namespace

void AddNotebookCommands(Command& app, Settings& settings) {
  Command* group = app.AddCommand("notebooks", "Run Jupyter in instances, with gs:// and git");
  group->NeedsCommand();
  AddCreate(*group, std::make_shared<NotebookCommand>(), settings);
  auto list = std::make_shared<NotebookCommand>();
  Command* command = group->AddCommand("list", "List notebooks and their addresses");
  list->place.AddTo(*command, Scope::kZone);
  list->output.AddTo(*command, Shape::kList);
  command->OnRun([list, &settings] { ListNotebooks(*list, settings); });
  AddPlain(*group, "describe", "Show a notebook", settings, DescribeNotebook);
  AddPlain(*group, "connect", "Open a local port to a notebook, until killed", settings,
           ConnectNotebook);
  AddPlain(*group, "start", "Start a notebook; prints its address", settings, StartNotebook);
  AddPlain(*group, "stop", "Stop a notebook; its disks stay", settings, StopNotebook);
  AddPlain(*group, "delete", "Delete a notebook's instance, and with --delete-disk its disk",
           settings, DeleteNotebook);
}

}  // namespace fireweed::cli
