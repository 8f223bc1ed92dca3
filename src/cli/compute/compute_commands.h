// The parts of `fireweed compute`. Each group's app is found by its words or made.
#pragma once

#include <string_view>

#include "cli/context.h"

namespace fireweed::cli {

class Command;

// "instance-groups managed" below `root`; groups on the way are made with `help`.
Command& GroupOf(Command& root, std::string_view words, std::string_view help = {});

void AddNounCommands(Command& root,
                     Settings& settings);  // list describe delete create and the like, by the table
void AddInstanceCommands(Command& root,
                         Settings& settings);  // create metadata labels tags disks serial port
void AddShellCommands(Command& root, Settings& settings);    // ssh exec logs
void AddTunnelCommands(Command& root, Settings& settings);   // start-iap-tunnel
void AddGroupCommands(Command& root, Settings& settings);    // templates, members, wait-until
void AddImageCommands(Command& root, Settings& settings);    // create describe-from-family
void AddProjectCommands(Command& root, Settings& settings);  // operations project-info

}  // namespace fireweed::cli
