// The parts of `fireweed storage`; each adds its commands to the group.
#pragma once

#include "cli/context.h"

namespace fireweed::cli {

class Command;

void AddCopyCommands(Command& group, Settings& settings);     // cp mv rsync
void AddListingCommands(Command& group, Settings& settings);  // ls du
void AddObjectCommands(Command& group,
                       Settings& settings);  // rm cat stat compose sign-url hash objects
void AddBucketCommands(Command& group, Settings& settings);  // buckets

}  // namespace fireweed::cli
