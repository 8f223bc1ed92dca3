// Process 1: reaps, starts the startup scripts, opens the door for ssh, and takes the machine down in good order.
//
//   running --(off, reboot, TERM)--> shutdown scripts --(ended)--> TERM to all --(all gone)--> exit
//      any of them --(time is up, or forced)--> KILL to all programs --(last lines are copied)--> exit
//      |  ^
//      |  '-- cancel, while a delayed shutdown waits
//      '----- off or reboot with a delay
//
// With a workload there are no scripts and no door: the workload runs, off or TERM are passed on to it, and its end is the
// machine's, with its exit code.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "init/script.h"
#include "init/workload_file.h"

namespace fireweed {

struct InitSettings {
  std::optional<ScriptSettings> scripts;  // absent: no metadata server, no scripts
  std::optional<WorkloadOrder> workload;
  std::vector<std::string> environment;  // of the workload, "NAME=value"
  bool whole_machine = true;  // process 1 of its own pid namespace; false under the process driver
};

// Never returns before the machine is down; the exit code as in protocol.h, or the workload's.
int RunInit(const InitSettings& settings);

}  // namespace fireweed
