// Whether a serving process says that it is ready. Action threads: blocks for a second at most.
#pragma once

#include <string>

namespace fireweed::ml {

bool SaysReady(const std::string& socket_path);

}  // namespace fireweed::ml
