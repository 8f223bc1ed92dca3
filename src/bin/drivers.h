// Which machine driver runs instances here.
#pragma once

#include <memory>
#include <string>

#include "base/clock.h"
#include "base/log.h"
#include "bin/config.h"
#include "machine/machine_driver.h"

namespace fireweed {

struct DriverPlace {
  std::string daemon_id;
  std::string state_directory;    // machines live below it
  std::string program_directory;  // fireweed-shim and fireweed-init lie here
};

// The driver the settings ask for; with "auto" containers where they can run, else plain processes,
// and the log says why. Throws Failure when what was asked for by name cannot run here.
std::unique_ptr<MachineDriver> MakeDriver(const InstancesConfig& config, const DriverPlace& place,
                                          const Clock& clock, Logger& log);

}  // namespace fireweed
