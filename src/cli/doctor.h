// What this machine can and cannot do for Fireweed, and what each missing piece costs.
#pragma once

#include <string>
#include <vector>

namespace fireweed::cli {

enum class Health { kGood, kPartly, kBad };

struct Finding {
  std::string topic;  // "cgroups"
  Health health = Health::kGood;
  std::string seen;  // "hybrid: v1 controllers, v2 at /sys/fs/cgroup/unified"
  std::string cost;  // what is lost, and how to mend it; empty when good
};

struct DoctorInputs {
  std::string state;
  std::string path;  // PATH of the caller
  unsigned user_id = 0;
  std::string http, https;  // addresses of a running daemon; empty when none runs
};

std::vector<Finding> Examine(const DoctorInputs& inputs);

// "v1", "v2" or "hybrid", from the text of /proc/mounts: the one thing about cgroups that matters.
std::string CgroupLayout(const std::string& mounts);
// NVIDIA's accelerators, by what their driver shows. `root` goes before /proc, /sys and /dev.
Finding ExamineAccelerators(const std::string& root = "");
// The first program of that name on `path`; empty when none.
std::string FindProgram(const std::string& path, const std::string& name);

}  // namespace fireweed::cli
