// The OCI bundle of a machine: config.json as crun and runc read it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "machine/machine_driver.h"

namespace fireweed {

// A character device of the host that the machine may use.
struct BundleDevice {
  std::string source;  // a node that root inside may open
  std::string inside;
  int64_t major = 0, minor = 0;
};

struct BundleSpec {
  std::string root;  // path of the mounted root
  std::string hostname;
  std::vector<std::string> command;
  std::vector<std::string> environment;  // "NAME=value"
  MachineLimits limits;
  std::vector<BundleDevice> devices;
  std::string cpu_list;  // the cpuset, "0-1"; empty: every processor of the host
  // Read-only files of the host's /proc and /sys that the machine sees others in place of: source, inside.
  std::vector<std::pair<std::string, std::string>> views;
  std::string cgroup_path;
  int64_t id_base = 0;  // 0: no user namespace
  int64_t ids = 65536;
  // Capabilities the daemon itself holds, as in CapBnd of /proc/self/status; others would fail the start.
  uint64_t held_capabilities = 0;
  int64_t most_open_files = 0;  // the daemon's hard limit
};

std::string MakeBundleConfig(const BundleSpec& spec);

// CapBnd of a /proc/PID/status text; 0 when it is not there.
uint64_t CapabilitiesOf(std::string_view status);

}  // namespace fireweed
