// Adds `auth` to the tree: what scripts ask gcloud for when they call an API by themselves.
#pragma once

#include "cli/context.h"

namespace CLI {
class App;
}

namespace fireweed::cli {

void AddAuthCommands(CLI::App& app, Settings& settings);

}  // namespace fireweed::cli
