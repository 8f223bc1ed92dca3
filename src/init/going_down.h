// Lets a process of fireweed-init outlive the SIGTERM that every process of a machine gets when the machine goes down, so
// that it copies the last lines of its programs to the console. Programs that it starts afterwards die of SIGTERM as usual.
// Threading: one thread per process.
#pragma once

namespace fireweed {

// From now on SIGTERM is only noted.
void CatchTerm();
// Whether a SIGTERM came since.
bool TermCaught();

}  // namespace fireweed
