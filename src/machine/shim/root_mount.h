// A machine's root file system, mounted in the shim's own mount namespace: it vanishes with the shim and is never
// seen by the host. What lies in the writable layer was made by the guest and is not trusted: every path inside is
// resolved by the kernel as if the root were "/" (openat2 RESOLVE_IN_ROOT).
#pragma once

#include "machine/shim/shim_order.h"

namespace fireweed {

// Leaves the host's mount namespace; changes made from here on stay here. Also hides the unified hierarchy of a
// hybrid cgroup layout, at which crun would refuse to start.
void EnterPrivateMounts();

// Mounts layers and disk at stage/root, then sysfs of the present network namespace, the binds, and places the files.
void MountRoot(const ShimOrder& order);

// Whether `directory` can be mounted with shifted ids; leaves nothing behind.
bool CanShiftIds(const char* directory);

}  // namespace fireweed
