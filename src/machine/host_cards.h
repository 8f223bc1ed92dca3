// What for: the accelerators of this host, and what a machine needs that is lent some of them. NVIDIA's are found by
//   what their driver shows under /proc and /dev; others are named in the settings.
// Any thread; reads directories, so it may block for a moment. Nothing is kept: a driver may be updated and its nodes
//   may appear while the daemon runs, so each boot looks anew.
// A failure: what cannot be read is not there.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "machine/machine_driver.h"

namespace fireweed {

struct HostCard {
  std::string type;                    // "nvidia-tesla-t4": as the public cloud calls it
  std::vector<std::string> devices;    // nodes of this card alone; the first names it
  std::vector<std::string> libraries;  // files, on top of what the driver brings
  std::string uuid;                    // "GPU-8fc04db3-…"; empty where nobody says

  const std::string& name() const { return devices.front(); }
};

// NVIDIA's cards, in the order of their nodes. `root` goes before /proc and /dev.
std::vector<HostCard> FindHostCards(const std::string& root = "");

// "NVIDIA A100-SXM4-80GB" is "nvidia-a100-80gb"; a model that the public cloud does not have gets a name of the same
// kind, "nvidia-geforce-rtx-4090".
std::string AcceleratorTypeOf(std::string_view model);

// What these cards need together: with one of NVIDIA's also the nodes that all of them share, the driver's libraries
// and nvidia-smi, as they are on the host now.
MachineCards LendCards(const std::vector<HostCard>& cards, const std::string& root = "");

}  // namespace fireweed
