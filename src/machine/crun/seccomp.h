// The system calls a machine may make: what programs use, none of what changes the host.
#pragma once

#include "describe/json_writer.h"

namespace fireweed {

// Writes the `seccomp` object of an OCI bundle. Calls not named answer ENOSYS, as on a kernel that does not have them,
// so that libraries fall back; calls that would make namespaces answer EPERM.
void WriteSeccomp(JsonWriter& out);

}  // namespace fireweed
