// `fireweed datalab`, also by the name `datalab`: notebooks in the grammar of Cloud Datalab's command.
#include <fmt/format.h>

#include "cli/grammar.h"
#include "cli/notebooks/notebook_actions.h"
#include "cli/notebooks/notebook_commands.h"
#include "cli/notebooks/notebook_session.h"

namespace fireweed::cli {
namespace {

constexpr const char* kRepository = "datalab-notebooks";

// One for the whole group: only one of its commands is run.
struct Datalab {
  NotebookCommand command;
  int64_t disk_gigabytes = 200;
  bool no_connect = false, no_repository = false;
  // Taken so that old scripts run: there is nothing here that they would change.
  std::string ignored;
  bool ignored_flag = false;
};
using Shared = std::shared_ptr<Datalab>;

void Create(Datalab& lab, const Settings& settings) {
  NotebookSession session(lab.command.place, settings);
  NotebookOptions& notebook = lab.command.notebook;
  notebook.disk_size = std::to_string(lab.disk_gigabytes);
  if (!lab.no_repository) notebook.repository = session.SourceRepository(kRepository);
  session.Create(notebook);
  if (!lab.no_connect) return ConnectNotebook(lab.command, settings);
  ShowNotebook(lab.command, settings, session.Await(notebook.name));
}

Command* AddOne(Command& group, const char* word, const char* help, const Shared& lab) {
  Command* command = group.AddCommand(word, help);
  command->AddOption("name", lab->command.notebook.name, "Notebook")->Required();
  return command;
}

void Ignore(Command& command, Datalab& lab, const char* flag, bool takes_value) {
  constexpr const char* kHelp = "Accepted for compatibility; no effect";
  if (takes_value)
    command.AddOption(flag, lab.ignored, kHelp);
  else
    command.AddFlag(flag, lab.ignored_flag, kHelp);
}

void AddConnectFlags(Command& command, Datalab& lab) {
  command.AddOption("--port", lab.command.port, "Local port; 0: any")->ShowDefault();
  for (const char* flag :
       {"--max-reconnects", "--connection-health-timeout-seconds", "--ssh-log-level"})
    Ignore(command, lab, flag, true);
  for (const char* flag : {"--no-launch-browser", "--no-user-checking", "--beta-internal-ip"})
    Ignore(command, lab, flag, false);
}

void AddCreate(Command& group, const Shared& lab, Settings& settings) {
  NotebookOptions& notebook = lab->command.notebook;
  notebook.idle_timeout = "90m";
  Command* command = AddOne(group, "create", "Create a notebook and connect to it", lab);
  command->AddOption("--machine-type", notebook.machine_type, "Machine type")->ShowDefault();
  command->AddOption("--disk-name", notebook.disk_name, "Disk for notebooks (default: NAME-pd)");
  command->AddOption("--disk-size-gb", lab->disk_gigabytes, "Size of a new disk in GB")
      ->ShowDefault();
  command
      ->AddOption("--idle-timeout", notebook.idle_timeout,
                  "Stop after this long without use; 0s: never")
      ->ShowDefault();
  command->AddOption("--image-name", notebook.image, "Image of the instance");
  command->AddOption("--service-account", notebook.service_account,
                     "Service account the notebook runs as");
  command->AddOption("--wheels", notebook.wheels,
                     "gs:// directory with all wheels, for instances without internet");
  command->AddFlag("--no-connect", lab->no_connect, "Do not connect; print the URL");
  command->AddFlag("--no-create-repository", lab->no_repository,
                   "Do not create the repository datalab-notebooks");
  for (const char* flag : {"--network-name", "--subnet-name", "--log-level"})
    Ignore(*command, *lab, flag, true);
  for (const char* flag : {"--no-swap", "--no-backups", "--no-firewall-rule", "--diagnose-me"})
    Ignore(*command, *lab, flag, false);
  AddConnectFlags(*command, *lab);
  command->OnRun([lab, &settings] { Create(*lab, settings); });
}

}  // namespace

void AddDatalabCommands(Command& app, Settings& settings) {
  auto lab = std::make_shared<Datalab>();
  Command* group = app.AddCommand("datalab", "Run notebooks with the commands of Cloud Datalab");
  group->NeedsCommand();
  // Datalab took these before the command's word; they may also follow it.
  lab->command.place.AddTo(*group, Scope::kZone);
  Ignore(*group, *lab, "--verbosity", true);
  AddCreate(*group, lab, settings);
  Command* connect = AddOne(*group, "connect", "Open a local port to a notebook", lab);
  AddConnectFlags(*connect, *lab);
  connect->OnRun([lab, &settings] { ConnectNotebook(lab->command, settings); });
  Command* list = group->AddCommand("list", "List notebooks");
  lab->command.output.AddTo(*list, Shape::kList);
  list->AddOption("--zones", lab->command.zones, "Zones to list: ZONE,...");
  list->OnRun([lab, &settings] { ListNotebooks(lab->command, settings); });
  Command* stop = AddOne(*group, "stop", "Stop a notebook", lab);
  stop->OnRun([lab, &settings] { StopNotebook(lab->command, settings); });
  Command* remove = AddOne(*group, "delete", "Delete a notebook; its disk is kept", lab);
  Flag* with_disk =
      remove->AddFlag("--delete-disk", lab->command.delete_disk, "Also delete its disk");
  remove->AddFlag("--keep-disk", lab->command.keep_disk, "Keep the disk (default)")
      ->Excludes(with_disk);
  remove->OnRun([lab, &settings] { DeleteNotebook(lab->command, settings); });
}

}  // namespace fireweed::cli
