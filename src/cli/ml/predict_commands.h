// The parts of `fireweed ai-platform` that are about models, and `fireweed deploy` and `fireweed predict`.
#pragma once

#include "cli/context.h"

namespace CLI {
class App;
}

namespace fireweed::cli {

void AddModelCommands(CLI::App& root, Settings& settings);  // models versions operations
void AddPredictCommand(CLI::App& root,
                       Settings& settings);  // predict, below ai-platform and at the top
void AddLocalPredict(CLI::App& root, Settings& settings);  // local predict
void AddDeployCommand(CLI::App& app, Settings& settings);  // deploy

}  // namespace fireweed::cli
