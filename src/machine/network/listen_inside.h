#pragma once

#include <cstdint>
#include <string_view>

#include "base/result.h"
#include "base/unique_fd.h"
#include "machine/machine_driver.h"

namespace fireweed {

// A bound, non-blocking socket (TCP: listening) in the network namespace behind `namespace_fd`. It stays there; the
// ordinary event loop of this process serves it.
Result<UniqueFd> OpenListenerIn(int namespace_fd, std::string_view address, uint16_t port,
                                Transport transport);

}  // namespace fireweed
