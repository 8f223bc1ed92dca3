// Process 1: reaps, starts the startup scripts, opens the door for ssh, and takes the machine down in good order.
//
//   running --(off, reboot, TERM)--> shutdown scripts --(ended)--> TERM to all --(all gone, or time is up)--> exit
//      |  ^
//      |  '-- cancel, while a delayed shutdown waits
//      '----- off or reboot with a delay
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "init/script.h"

namespace fireweed {

struct InitSettings {
  std::optional<ScriptSettings> scripts;  // absent: no metadata server, no scripts
  bool whole_machine = true;  // process 1 of its own pid namespace; false under the process driver
};

// Never returns before the machine is down; the exit code as in protocol.h.
int RunInit(const InitSettings& settings);

}  // namespace fireweed
