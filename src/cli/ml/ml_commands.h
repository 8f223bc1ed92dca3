// The parts of `fireweed ai-platform` (also called ml-engine) and of `fireweed logging`. Each adds its groups to the
// tree; GroupOf (cli/compute/compute_commands.h) finds a group or makes it.
#pragma once

#include "cli/context.h"

namespace CLI {
class App;
}

namespace fireweed::cli {

void AddJobCommands(CLI::App& root,
                    Settings& settings);  // jobs list describe cancel update stream-logs
void AddSubmitCommands(CLI::App& root, Settings& settings);  // jobs submit training
void AddLocalCommands(CLI::App& root, Settings& settings);   // local train
void AddLoggingCommands(CLI::App& app, Settings& settings);  // logging read

}  // namespace fireweed::cli
