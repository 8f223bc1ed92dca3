
#include "cli/commands.h"
#include "cli/compute/compute_commands.h"
#include "cli/grammar.h"

namespace fireweed::cli {

void AddComputeCommands(Command& app, Settings& settings) {
  Command* root = app.AddCommand("compute", "Manage instances, disks, images and networks");
  root->NeedsCommand();
  AddNounCommands(*root, settings);
  AddInstanceCommands(*root, settings);
  AddShellCommands(*root, settings);
  AddTunnelCommands(*root, settings);
  AddGroupCommands(*root, settings);
  AddImageCommands(*root, settings);
  AddProjectCommands(*root, settings);
}

}  // namespace fireweed::cli
