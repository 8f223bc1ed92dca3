// `fireweed notebooks`: Jupyter in instances.
#include "cli/notebooks/notebook_commands.h"

#include <CLI/CLI.hpp>

#include "cli/notebooks/notebook_actions.h"

namespace fireweed::cli {
namespace {

using Shared = std::shared_ptr<NotebookCommand>;

CLI::App* AddOne(CLI::App& group, const char* word, const char* help, const Shared& options) {
  CLI::App* command = group.add_subcommand(word, help);
  command->add_option("name", options->notebook.name, "Notebook")->required();
  return command;
}

void AddDeleteFlags(CLI::App& command, NotebookCommand& options) {
  CLI::Option* remove =
      command.add_flag("--delete-disk", options.delete_disk, "Delete the notebooks' disk, too");
  command.add_flag("--keep-disk", options.keep_disk, "Keep it (usual)")->excludes(remove);
}

void AddCreate(CLI::App& group, const Shared& options, Settings& settings) {
  NotebookOptions& notebook = options->notebook;
  CLI::App* command = AddOne(
      group, "create", "Make a notebook: Jupyter in an instance; prints its address", options);
  command->add_option("--machine-type", notebook.machine_type, "Machine type")
      ->capture_default_str();
  command->add_option("--disk-name", notebook.disk_name,
                      "Disk for notebooks, made when missing (default: NAME-pd)");
  command->add_option("--disk-size", notebook.disk_size, "Of a new disk")->capture_default_str();
  command->add_option("--repository", notebook.repository, "Git URL, cloned at the first start");
  command->add_option("--package", notebook.packages, "Another package for pip; repeatable")
      ->allow_extra_args(false);
  command->add_option("--wheels", notebook.wheels,
                      "gs:// directory with all wheels, for instances without internet");
  command->add_option("--idle-timeout", notebook.idle_timeout,
                      "Stop it when nobody used it for this long: 90m (default: never)");
  command->add_option("--image", notebook.image, "Image");
  command->add_option("--image-family", notebook.image_family, "Newest image of a family");
  command->add_option("--image-project", notebook.image_project, "Project of the image or family");
  command->add_option("--service-account", notebook.service_account, "Who the notebook is");
  command->add_flag("--async", options->place.async, "Do not wait until Jupyter answers");
  options->place.AddTo(*command, Scope::kZone);
  options->output.AddTo(*command, Shape::kOne);
  command->footer(
      "Example:\n  fireweed notebooks create lab --repository https://example.com/x.git");
  command->callback([options, &settings] { CreateNotebook(*options, settings); });
}

// The commands that need a name and no more.
void AddPlain(CLI::App& group, const char* word, const char* help, Settings& settings,
              void (*act)(const NotebookCommand&, const Settings&)) {
  auto options = std::make_shared<NotebookCommand>();
  CLI::App* command = AddOne(group, word, help, options);
  options->place.AddTo(*command, Scope::kZone);
  std::string_view name = word;
  if (name == "describe" || name == "start") options->output.AddTo(*command, Shape::kOne);
  if (name == "start")
    command->add_flag("--async", options->place.async, "Do not wait until Jupyter answers");
  if (name == "delete") AddDeleteFlags(*command, *options);
  if (name == "connect")
    command->add_option("--port", options->port, "Local port; 0: any")->capture_default_str();
  command->callback([options, act, &settings] { act(*options, settings); });
}

}  // namespace

void AddNotebookCommands(CLI::App& app, Settings& settings) {
  CLI::App* group = app.add_subcommand("notebooks", "Jupyter in instances, with gs:// and git");
  group->require_subcommand(1);
  AddCreate(*group, std::make_shared<NotebookCommand>(), settings);
  auto list = std::make_shared<NotebookCommand>();
  CLI::App* command = group->add_subcommand("list", "List notebooks and their addresses");
  list->place.AddTo(*command, Scope::kZone);
  list->output.AddTo(*command, Shape::kList);
  command->callback([list, &settings] { ListNotebooks(*list, settings); });
  AddPlain(*group, "describe", "Show a notebook", settings, DescribeNotebook);
  AddPlain(*group, "connect", "Open a local port to a notebook, until killed", settings,
           ConnectNotebook);
  AddPlain(*group, "start", "Start a notebook; prints its address", settings, StartNotebook);
  AddPlain(*group, "stop", "Stop a notebook; its disks stay", settings, StopNotebook);
  AddPlain(*group, "delete", "Delete a notebook's instance, and with --delete-disk its disk",
           settings, DeleteNotebook);
}

}  // namespace fireweed::cli
