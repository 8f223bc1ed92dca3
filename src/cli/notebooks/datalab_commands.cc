// `fireweed datalab`, also by the name `datalab`: notebooks in the grammar of Cloud Datalab's command.
#include <CLI/CLI.hpp>
#include <fmt/format.h>

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

CLI::App* AddOne(CLI::App& group, const char* word, const char* help, const Shared& lab) {
  CLI::App* command = group.add_subcommand(word, help);
  command->add_option("name", lab->command.notebook.name, "Notebook")->required();
  return command;
}

void Ignore(CLI::App& command, Datalab& lab, const char* flag, bool takes_value) {
  constexpr const char* kHelp = "Accepted for old scripts' sake";
  if (takes_value)
    command.add_option(flag, lab.ignored, kHelp);
  else
    command.add_flag(flag, lab.ignored_flag, kHelp);
}

void AddConnectFlags(CLI::App& command, Datalab& lab) {
  command.add_option("--port", lab.command.port, "Local port; 0: any")->capture_default_str();
  for (const char* flag :
       {"--max-reconnects", "--connection-health-timeout-seconds", "--ssh-log-level"})
    Ignore(command, lab, flag, true);
  for (const char* flag : {"--no-launch-browser", "--no-user-checking", "--beta-internal-ip"})
    Ignore(command, lab, flag, false);
}

void AddCreate(CLI::App& group, const Shared& lab, Settings& settings) {
  NotebookOptions& notebook = lab->command.notebook;
  notebook.idle_timeout = "90m";
  CLI::App* command = AddOne(group, "create", "Make a notebook and connect to it", lab);
  command->add_option("--machine-type", notebook.machine_type, "Machine type")
      ->capture_default_str();
  command->add_option("--disk-name", notebook.disk_name, "Disk for notebooks (default: NAME-pd)");
  command->add_option("--disk-size-gb", lab->disk_gigabytes, "Of a new disk")
      ->capture_default_str();
  command
      ->add_option("--idle-timeout", notebook.idle_timeout,
                   "Stop it when nobody used it for this long; 0s: never")
      ->capture_default_str();
  command->add_option("--image-name", notebook.image, "Image of the instance");
  command->add_option("--service-account", notebook.service_account, "Who the notebook is");
  command->add_option("--wheels", notebook.wheels,
                      "gs:// directory with all wheels, for instances without internet");
  command->add_flag("--no-connect", lab->no_connect, "Only make it, and print its address");
  command->add_flag("--no-create-repository", lab->no_repository,
                    "Without the source repository datalab-notebooks");
  for (const char* flag : {"--network-name", "--subnet-name", "--log-level"})
    Ignore(*command, *lab, flag, true);
  for (const char* flag : {"--no-swap", "--no-backups", "--no-firewall-rule", "--diagnose-me"})
    Ignore(*command, *lab, flag, false);
  AddConnectFlags(*command, *lab);
  command->callback([lab, &settings] { Create(*lab, settings); });
}

}  // namespace

void AddDatalabCommands(CLI::App& app, Settings& settings) {
  auto lab = std::make_shared<Datalab>();
  CLI::App* group = app.add_subcommand("datalab", "Notebooks, in the words of Cloud Datalab");
  group->require_subcommand(1);
  // Datalab took these before the command's word; they may also follow it.
  lab->command.place.AddTo(*group, Scope::kZone);
  Ignore(*group, *lab, "--verbosity", true);
  AddCreate(*group, lab, settings);
  CLI::App* connect = AddOne(*group, "connect", "Open a local port to a notebook", lab);
  AddConnectFlags(*connect, *lab);
  connect->callback([lab, &settings] { ConnectNotebook(lab->command, settings); });
  CLI::App* list = group->add_subcommand("list", "List notebooks");
  lab->command.output.AddTo(*list, Shape::kList);
  list->add_option("--zones", lab->command.zones, "Only these: ZONE,...");
  list->callback([lab, &settings] { ListNotebooks(lab->command, settings); });
  CLI::App* stop = AddOne(*group, "stop", "Stop a notebook", lab);
  stop->callback([lab, &settings] { StopNotebook(lab->command, settings); });
  CLI::App* remove = AddOne(*group, "delete", "Delete a notebook; its disk is kept", lab);
  CLI::Option* with_disk =
      remove->add_flag("--delete-disk", lab->command.delete_disk, "Delete its disk, too");
  remove->add_flag("--keep-disk", lab->command.keep_disk, "Keep it (usual)")->excludes(with_disk);
  remove->callback([lab, &settings] { DeleteNotebook(lab->command, settings); });
}

}  // namespace fireweed::cli
