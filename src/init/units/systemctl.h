// `systemctl` inside a machine: starts, stops, enables and shows services without systemd. See ADR 49.
// Threading: one thread.
// Blocking: until services have started or ended.
// Errors: printed; the exit codes are those of systemd's program (3: not active, 4: no such unit, 5: cannot be started).
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace fireweed {

struct SystemctlRequest {
  std::string verb = "list-units";
  std::vector<std::string> units;
  std::vector<std::string> properties;  // -p
  bool now = false, quiet = false, value_only = false, no_legend = false;
  std::string problem;  // not empty: nothing is done
};
// Pure.
SystemctlRequest ParseSystemctl(const std::vector<std::string_view>& arguments);

int RunSystemctl(const std::vector<std::string_view>& arguments);

// At boot: starts the services that are enabled, each after those it names in After.
int StartEnabledUnits();

}  // namespace fireweed
