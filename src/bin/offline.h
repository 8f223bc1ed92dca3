// Work on a state directory that no daemon uses; what `fireweedd --fsck` and `--restore DIR` do.
#pragma once

#include <string>

#include "bin/daemon.h"

namespace fireweed {

// Prints what was proved as JSON. True when nothing is wrong. Throws Failure, also while a daemon runs.
bool ExamineOffline(const DaemonOptions& options);

// Fills the state directory, which must be empty, from a backup, and prints what came back as JSON. True when all of
// it matches its checksums. Goes on with what an earlier attempt left.
bool RestoreOffline(const DaemonOptions& options, const std::string& backup);

}  // namespace fireweed
