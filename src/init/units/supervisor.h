// One supervisor per running service: a process of fireweed-init that starts the service, adopts everything the service
// forks, copies its output to the serial console, restarts it, and stops it on SIGTERM. There is no central manager: state
// is in files below /run/fireweed-units.
// Threading: StartUnit forks; the supervisor has one thread.
// Blocking: StartUnit until the service has started (as its Type defines) or failed, StopUnit until it has ended.
// Errors: returned as text for people; empty is success.
#pragma once

#include <cstdint>
#include <string>

#include "init/units/unit_store.h"

namespace fireweed {

// The file `state` of a unit.
struct UnitState {
  std::string active = "inactive";  // "active", "activating", "deactivating", "failed"
  std::string sub = "dead";         // "running", "exited", "auto-restart", "failed"
  std::string result = "success";   // why it ended
  int64_t main_pid = 0;
  int64_t supervisor = 0;
  int64_t since = 0;  // seconds since 1970
};
UnitState ReadUnitState(const std::string& name);

std::string StartUnit(const Unit& unit);
// Stopping a stopped unit succeeds.
std::string StopUnit(const std::string& name);
// Runs ExecReload.
std::string ReloadUnit(const Unit& unit);

// Whether Restart=`policy` restarts a service that ended with this status of waitpid(2). Pure.
bool RestartsAfter(const std::string& policy, int wait_status);

}  // namespace fireweed
