// What process 1, the applets inside and the shim outside say to each other.
#pragma once

#include <csignal>

namespace fireweed {

// The numbers that other init systems use for the same, so that foreign programs that ask are understood.
inline int OffSignal() { return SIGRTMIN + 4; }
inline int RebootSignal() { return SIGRTMIN + 5; }
inline int CancelSignal() { return SIGRTMIN + 6; }  // calls off a delayed shutdown
// Kills every program at once, copies what they had printed to the console, and exits. From the shim when the grace of a
// stop is used up; queued with a kForced value by `poweroff -f`.
inline int KillSignal() { return SIGRTMIN + 7; }
constexpr int kForcedOff = 0;
constexpr int kForcedReboot = 1;

// Exit codes of process 1. Where the kernel lets it call reboot(2), an ended machine shows SIGINT or SIGHUP instead;
// readers take both.
constexpr int kExitOff = 0;
constexpr int kExitReboot = 194;
constexpr int kExitOffFromOutside = 195;
// With a workload the exit code is the workload's, also where it is one of the above: who knows of the workload does not
// look at those. This one when it could not even be forked.
constexpr int kExitCannotRun = 126;

}  // namespace fireweed
