// Adds the commands of notebooks to the tree: `notebooks`, and `datalab` in the words of Cloud Datalab.
#pragma once

#include "cli/context.h"

namespace fireweed::cli {

class Command;

void AddNotebookCommands(Command& app, Settings& settings);
void AddDatalabCommands(Command& app, Settings& settings);

}  // namespace fireweed::cli
