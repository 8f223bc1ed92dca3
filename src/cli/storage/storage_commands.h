// The parts of `fireweed storage`; each adds its commands to the group.
#pragma once

#include "cli/context.h"

namespace CLI {
class App;
}

namespace fireweed::cli {

void AddCopyCommands(CLI::App& group, Settings& settings);     // cp mv rsync
void AddListingCommands(CLI::App& group, Settings& settings);  // ls du
void AddObjectCommands(CLI::App& group,
                       Settings& settings);  // rm cat stat compose sign-url hash objects
void AddBucketCommands(CLI::App& group, Settings& settings);  // buckets

}  // namespace fireweed::cli
