// The parts of `fireweed ai-platform` that are about models, and `fireweed deploy` and `fireweed predict`.
#pragma once

#include "cli/context.h"

namespace fireweed::cli {

class Command;

void AddModelCommands(Command& root, Settings& settings);  // models versions operations
void AddPredictCommand(Command& root,
                       Settings& settings);  // predict, below ai-platform and at the top
void AddLocalPredict(Command& root, Settings& settings);  // local predict
void AddDeployCommand(Command& app, Settings& settings);  // deploy

}  // namespace fireweed::cli
