// Where the metadata server of a plain process listens: a loopback address of its own and a free port, "127.84.3.9:41234".
// Every process of the host can reach it; that is one of this driver's weaknesses.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "base/unique_fd.h"

namespace fireweed {

// The address follows from the machine's id, the port is free at this moment. Does not block.
Result<std::string> ChooseLoopbackPlace(std::string_view machine_id);
// A listening, non-blocking socket there. kUnavailable while somebody else has it.
Result<UniqueFd> ListenAtPlace(const std::string& place);

}  // namespace fireweed
