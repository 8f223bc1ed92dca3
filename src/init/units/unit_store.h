// Finds unit files, says which are enabled, and enables them by symbolic links, in the directories that systemd uses.
// Threading: any thread; reads the files at each call.
// Blocking: small reads and links on the machine's disk.
// Errors: a unit that does not exist has an empty path.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "init/units/unit_file.h"

namespace fireweed {

struct Unit {
  std::string name;  // "nginx.service"; aliases are resolved
  std::string path;  // of the file; empty: not found
  bool masked = false;
  UnitFile file;
};

class UnitStore {
 public:
  // `root` is in front of every path; empty in a machine.
  explicit UnitStore(std::string root) : root_(std::move(root)) {}

  // Also by a short name ("nginx"). Drop-ins are applied. A script in /etc/init.d without a unit counts as one.
  Unit Load(std::string_view name) const;

  // "enabled", "disabled", "static", "masked", or "" for a unit that does not exist.
  std::string EnabledState(const Unit& unit) const;
  // Links it as its [Install] section says, or removes the links. The lines to print, one per link.
  std::vector<std::string> Enable(const Unit& unit) const;
  std::vector<std::string> Disable(const Unit& unit) const;
  bool Mask(const std::string& name, bool masked) const;

  // Services that a boot starts.
  std::vector<std::string> BootUnits() const;
  // All names of services that have a file.
  std::vector<std::string> AllServices() const;

  // The services that a start of `names` starts, with what they want and require; each with those of them that come before it.
  struct Planned {
    std::string name;
    std::set<std::string> after;
  };
  std::vector<Planned> PlanStart(const std::vector<std::string>& names) const;

 private:
  std::vector<std::string> WantedBy(const std::string& unit) const;
  std::vector<std::string> LinkPaths(const Unit& unit) const;

  std::string root_;
};

// "nginx" is "nginx.service".
std::string FullUnitName(std::string_view name);

}  // namespace fireweed
