// What for: two controllers on one driver, each with the machines whose ids begin as its own do. Neither sees the other's,
//   so that neither removes them as forgotten.
// Threads, blocking, failures: as MachineDriver says; every call goes to the driver.
// Owns: nothing but the two sinks; a sink that was taken back (OnStopped with nothing) is not running any more. The driver
//   outlives it.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "machine/machine_driver.h"

namespace fireweed {

class DriverSplit {
 public:
  // Takes the driver's OnStopped for itself.
  DriverSplit(MachineDriver& driver, std::string prefix);

  MachineDriver& with_prefix();  // machines whose ids begin with the prefix
  MachineDriver& others();

 private:
  class Share;
  const std::shared_ptr<Share> with_prefix_, others_;  // shared with the driver's sink
};

}  // namespace fireweed
