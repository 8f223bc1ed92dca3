// The keeper of one machine: starts it, appends its console to a file, kills it when the grace of a stop is used up,
// and leaves its exit status in a file. Lives as long as the machine, whatever becomes of the daemon.
//
// Files in the machine's directory: `lock` (held while it lives), `running`, `stop` (read on SIGUSR1), `exit`.
#pragma once

#include <string>

#include "machine/shim/shim_order.h"

namespace fireweed {

// Talks on standard input and output until the machine runs:
//   -> ready PID          own namespaces are there; a container waits for the next line
//   <- go
//   -> running PID        process 1 of the machine, or: failed WHY
// The present directory is the machine's. Returns the exit code of the shim.
int KeepMachine(const ShimOrder& order);

}  // namespace fireweed
