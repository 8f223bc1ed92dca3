// One function per group of commands; each adds its sub-commands to the tree.
#pragma once

#include <memory>

#include "cli/context.h"

namespace CLI {
class App;
}

namespace fireweed::cli {

void AddDaemonCommands(CLI::App& app, Settings& settings);  // up down status logs version
void AddEnvCommands(CLI::App& app, Settings& settings);     // env ca
void AddDataCommands(CLI::App& app, Settings& settings);
void AddDoctorCommand(CLI::App& app, Settings& settings);
void AddIdentityCommands(CLI::App& app, Settings& settings);  // projects tokens service-accounts
// get-iam-policy and its kin, below `projects`.
void AddProjectPolicyCommands(CLI::App& projects, Settings& settings);
void AddRemoteCommands(CLI::App& app, Settings& settings);  // credential forward
void AddComputeCommands(CLI::App& app, Settings& settings);
void AddIntegrityCommands(CLI::App& app, Settings& settings);  // backup restore storage fsck
void AddMlCommands(CLI::App& app, Settings& settings);         // ai-platform logging
void AddSourceCommands(CLI::App& app, Settings& settings);
void AddStorageCommands(CLI::App& app, Settings& settings);
void AddCompletionCommand(CLI::App& app, Settings& settings);
void AddManCommand(CLI::App& app, Settings& settings);

// Runs a command line (without the program's name) and gives its exit status: 0, 1 for a failure,
// 2 for a command line that makes no sense.
int Run(const std::vector<std::string>& arguments, const Context& context);

}  // namespace fireweed::cli
