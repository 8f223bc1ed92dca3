// Bytes copied both ways between two connections until both have ended, with half-closed ends
// passed on.
#pragma once

#include <chrono>
#include <string_view>

#include "net/io_loop.h"
#include "net/transport.h"

namespace fireweed::net {

// Returns when both directions are done, something broke, or nothing moved for `idle`. `early` was
// read from `client` before and goes to `server` first. On the loop of both.
Task<void> Relay(IoLoop& loop, Transport& client, Transport& server, std::string_view early,
                 std::chrono::milliseconds idle);

}  // namespace fireweed::net
