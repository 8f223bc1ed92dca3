// Starts the processes of a service as its unit says: user, environment, directory, limits, output.
// Threading: one thread.
// Blocking: until the program runs, or cannot be run.
// Errors: returned as text for people.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

#include "init/units/unit_store.h"

namespace fireweed {

struct Launched {
  pid_t pid = -1;       // -1: not started
  std::string problem;  // why
};

// The environment of a unit's commands: /etc/environment, then the unit's Environment and EnvironmentFile, then `more`.
std::vector<std::string> UnitEnvironment(const Unit& unit, const std::vector<std::string>& more);

// Directories below /run, /var/lib and the like that the unit names are created for its user.
void MakeUnitDirectories(const Unit& unit);

// `output`: standard output and error, unless the unit names files. REQUIRES: `command` is a line of the unit.
Launched LaunchUnitCommand(const Unit& unit, const UnitCommand& command,
                           const std::vector<std::string>& environment, int output);

}  // namespace fireweed
