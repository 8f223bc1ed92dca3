// Data disks of a machine that has its namespaces: mounted into its mount namespace and unmounted there, at the boot,
// before process 1 is let go, and while it runs. Mounts that a runtime copies into a user namespace are locked for
// good; these are not.
//
// Each call changes the namespaces of its process, which does nothing else afterwards. A failure ends the process
// with a report (complain.h).
#pragma once

#include <sys/types.h>

#include "machine/shim/shim_order.h"

namespace fireweed {

// Mounts a disk of the order; there already is success.
void MountVolumeIn(pid_t first_process, const ShimOrder& order, const ShimVolume& volume);

// Takes it away; not there is success. Ends the process with kShimVolumeBusy when somebody inside has files open on
// it or works in it.
void UnmountVolumeIn(pid_t first_process, const ShimVolume& volume);

// The volume in the file `change` of a boot's directory, into or out of the machine that runs there. Ends the process with
// kShimNotRunning when none does.
int ChangeVolume(const char* directory, bool there);

}  // namespace fireweed
