#include "machine/cpu/cgroups.h"

#include <filesystem>
#include <fstream>

namespace fireweed {

namespace fs = std::filesystem;

Cgroups::Cgroups(std::string root) : root_(std::move(root)) {
  std::error_code failed;
  unified_ = fs::exists(root_ + "/cgroup.controllers", failed);
  if (unified_) {
    std::ifstream names(root_ + "/cgroup.controllers");
    for (std::string name; names >> name;) controllers_.insert(name);
    return;
  }
  for (const auto& entry : fs::directory_iterator(root_, failed)) {
    if (fs::exists(entry.path() / "cgroup.procs", failed)) {
      controllers_.insert(entry.path().filename());
    }
  }
}

std::string Cgroups::Directory(const std::string& controller, std::string_view path) const {
  return root_ + (unified_ ? "" : "/" + controller) + std::string(path);
}

}  // namespace fireweed
