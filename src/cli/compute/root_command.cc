#include <CLI/CLI.hpp>

#include "cli/commands.h"
#include "cli/compute/compute_commands.h"

namespace fireweed::cli {

void AddComputeCommands(CLI::App& app, Settings& settings) {
  CLI::App* root = app.add_subcommand("compute", "Compute Engine, in gcloud's grammar");
  root->require_subcommand(1);
  AddNounCommands(*root, settings);
  AddInstanceCommands(*root, settings);
  AddShellCommands(*root, settings);
  AddGroupCommands(*root, settings);
  AddImageCommands(*root, settings);
  AddProjectCommands(*root, settings);
}

}  // namespace fireweed::cli
