// Fireweed's own API: what the CLI and the console need and Google's services have no word for.
#pragma once

#include "api/method.h"

namespace fireweed::api::admin {

// No Google host: the daemon's own addresses only.
inline constexpr Service kService{.name = "fireweed",
                                  .version = "v1",
                                  .title = "Fireweed",
                                  .refuse_unknown_fields = true,
                                  .documented = false};

}  // namespace fireweed::api::admin
