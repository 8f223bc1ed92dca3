// Which accelerators this daemon lends to instances: those of the settings, or what is found on the host.
#pragma once

#include <vector>

#include "base/log.h"
#include "bin/config.h"
#include "machine/host_cards.h"

namespace fireweed {

// Once, at the start; may block for a moment while NVIDIA's nodes are made. A card whose devices are not there is left
// out, and the log says so.
std::vector<HostCard> CardsHere(const ComputeConfig& config, Logger& log);

}  // namespace fireweed
