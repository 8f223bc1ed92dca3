// The parts of `fireweed compute`. Each group's app is found by its words or made.
#pragma once

#include <string_view>

#include "cli/context.h"

namespace CLI {
class App;
}

namespace fireweed::cli {

// "instance-groups managed" below `root`; groups on the way are made with `help`.
CLI::App& GroupOf(CLI::App& root, std::string_view words, std::string_view help = {});

// The command of that name directly in `group`; null when there is none.
CLI::App* CommandOf(CLI::App& group, std::string_view word);

void AddNounCommands(CLI::App& root,
                     Settings& settings);  // list describe delete create and the like, by the table
void AddInstanceCommands(CLI::App& root,
                         Settings& settings);  // create metadata labels tags disks serial port
void AddShellCommands(CLI::App& root, Settings& settings);    // ssh exec logs
void AddGroupCommands(CLI::App& root, Settings& settings);    // templates, members, wait-until
void AddImageCommands(CLI::App& root, Settings& settings);    // create describe-from-family
void AddProjectCommands(CLI::App& root, Settings& settings);  // operations project-info

}  // namespace fireweed::cli
