// A machine's root file system, mounted in the shim's own mount namespace: it vanishes with the shim and is never
// seen by the host. What lies in the writable layer was made by the guest and is not trusted: every path inside is
// resolved by the kernel as if the root were "/" (openat2 RESOLVE_IN_ROOT).
#pragma once

#include <string>

#include "machine/shim/shim_order.h"

namespace fireweed {

// Leaves the host's mount namespace; changes made from here on stay here. Also hides the unified hierarchy of a
// hybrid cgroup layout, at which crun would refuse to start.
void EnterPrivateMounts();

// Mounts layers and disk at stage/root, then sysfs of the present network namespace, the binds, and places the files.
// Devices and the view of the host are staged beside it, for the bundle to bind.
void MountRoot(const ShimOrder& order);

// A data disk: its own directory shifted, or an overlay over the layers it was made from, as a mount that is attached
// nowhere yet. REQUIRES: EnterPrivateMounts; mounts over the stage.
int StageVolume(const ShimOrder& order, const ShimVolume& volume);
// Attaches it in the present root, which is the machine's.
void AttachVolume(const ShimOrder& order, const ShimVolume& volume, int tree);
// What the table of mounts calls a data disk that is an overlay.
std::string VolumeSource(const ShimVolume& volume);

// Whether `directory` can be mounted with shifted ids; leaves nothing behind.
bool CanShiftIds(const char* directory);

}  // namespace fireweed
