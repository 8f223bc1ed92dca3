// What for: the well-known ports of 169.254.169.254 inside a machine, without taking them from the guest: whoever
//   listens at a port of any address keeps others from listening at 0.0.0.0 with it. The daemon listens at ports
//   nobody uses, and the kernel writes the one port for the other into packets that pass, there and back. It keeps no
//   state of connections for that: tracking them would cost every guest memory and a limit.
// Who calls: a thread that is in the machine's network namespace. May block: for the kernel's answer only.
// Who owns: the rules are the namespace's and end with it; they outlive the daemon.
#pragma once

#include <cstdint>
#include <optional>

#include "base/result.h"
#include "machine/machine_driver.h"
#include "machine/network/subnet.h"

namespace fireweed {

inline constexpr Ipv4 kMetadataAddress = 0xa9fea9fe;  // 169.254.169.254

// Leads connections from inside to 169.254.169.254:53, 80 and 443 to the stand-ins below. kExists: done before.
Result<> LeadInsidePorts();

// Where to listen for what is sent to `port` of 169.254.169.254. nullopt: at the port itself, because nothing leads
// elsewhere: another port, or a network that was made without the rules.
std::optional<uint16_t> InsideStandIn(uint16_t port, Transport transport);

}  // namespace fireweed
