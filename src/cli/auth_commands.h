// Adds `auth` to the tree: what scripts ask gcloud for when they call an API by themselves.
#pragma once

#include "cli/context.h"

namespace fireweed::cli {

class Command;

void AddAuthCommands(Command& app, Settings& settings);

}  // namespace fireweed::cli
