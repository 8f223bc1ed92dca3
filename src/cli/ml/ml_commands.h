// The parts of `fireweed ai-platform` (also called ml-engine) and of `fireweed logging`. Each adds its groups to the
// tree; GroupOf (cli/compute/compute_commands.h) finds a group or makes it.
#pragma once

#include "cli/context.h"

namespace fireweed::cli {

class Command;

void AddJobCommands(Command& root,
                    Settings& settings);  // jobs list describe cancel update stream-logs
void AddSubmitCommands(Command& root, Settings& settings);  // jobs submit training
void AddLocalCommands(Command& root, Settings& settings);   // local train
void AddLoggingCommands(Command& app, Settings& settings);  // logging read

}  // namespace fireweed::cli
