// Whose are the host's accelerators? A card belongs to one instance from the moment its boot begins until its machine
// has ended; a reboot keeps it. The records say so, and nothing else does: they are written before the machine starts and
// survive the daemon.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "catalog/catalog.h"
#include "compute/records.h"
#include "machine/host_cards.h"

namespace fireweed::compute {

// The reason of an instance that finds its cards taken; trying again at once would not help it.
inline constexpr std::string_view kCardsTaken = "ZONE_RESOURCE_POOL_EXHAUSTED";

// The names of the cards for an instance: those it has, then free ones. More than the host has of a type are not asked
// for (ADR 57: a warning said so). kExhausted with kCardsTaken: others have them.
Result<std::vector<std::string>> ChooseCards(Txn& txn, const InstanceRecord& record,
                                             const std::vector<HostCard>& host);

// Gives a machine the named cards. Plain processes see every node of the host, and are only told which are theirs.
void LendCards(MachineSpec& spec, const std::vector<std::string>& names,
               const std::vector<HostCard>& host, bool own_root);

}  // namespace fireweed::compute
