// Every process below another one, for machines without a pid namespace. Free of the rest of the tree: the shim has
// it, too. A number is good until its parent has reaped the process: use it at once.
#pragma once

#include <sys/types.h>

#include <vector>

namespace fireweed {

// Of all threads of a process. Empty when it is gone.
std::vector<pid_t> ChildrenOf(pid_t parent);

// Every process below this one, whatever its group and session.
std::vector<pid_t> DescendantsOf(pid_t ancestor);

// Every process of this pid namespace but process 1.
std::vector<pid_t> AllProcesses();

// To every process below this one.
void SignalDescendants(int signal);

// Kills and reaps until no child is left. REQUIRES: this process is a child subreaper, so that orphans of children
// become children.
void KillDescendants();

}  // namespace fireweed
