// Adds the commands of notebooks to the tree: `notebooks`, and `datalab` in the words of Cloud Datalab.
#pragma once

#include "cli/context.h"

namespace CLI {
class App;
}

namespace fireweed::cli {

void AddNotebookCommands(CLI::App& app, Settings& settings);
void AddDatalabCommands(CLI::App& app, Settings& settings);

}  // namespace fireweed::cli
