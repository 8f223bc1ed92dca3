// One function per group of commands; each adds its sub-commands to the tree.
#pragma once

#include <memory>

#include "cli/context.h"

namespace fireweed::cli {

class Command;

void AddDaemonCommands(Command& app, Settings& settings);  // up down status logs
void AddVersionCommand(Command& app, Settings& settings);
void PrintVersion(const Settings& settings);
void AddEnvCommand(Command& app, Settings& settings);
void AddAuthorityCommand(Command& app, Settings& settings);  // ca
void AddConfigCommands(Command& app, Settings& settings);
void AddDataCommands(Command& app, Settings& settings);
void AddDoctorCommand(Command& app, Settings& settings);
void AddIdentityCommands(Command& app, Settings& settings);  // projects tokens service-accounts
// get-iam-policy and its kin, below `projects`.
void AddProjectPolicyCommands(Command& projects, Settings& settings);
void AddUserCommands(Command& app, Settings& settings);
void AddRemoteCommands(Command& app, Settings& settings);  // credential forward
void AddComputeCommands(Command& app, Settings& settings);
void AddIntegrityCommands(Command& app, Settings& settings);  // backup restore storage fsck
void AddMlCommands(Command& app, Settings& settings);         // ai-platform logging
void AddSourceCommands(Command& app, Settings& settings);
void AddStorageCommands(Command& app, Settings& settings);
void AddCompleteCommand(Command& app, Settings& settings);
void AddCompletionCommand(Command& app, Settings& settings);
void AddManCommand(Command& app, Settings& settings);

// Runs a command line (without the program's name) and gives its exit status: 0, 1 for a failure,
// 2 for a command line that makes no sense.
int Run(const std::vector<std::string>& arguments, const Context& context);

}  // namespace fireweed::cli
