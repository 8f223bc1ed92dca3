// A line on its way to the store: what it has beyond the entry that it shares with its neighbours. A console's lines
// come by the hundred thousand; a whole entry for each would cost more than all the rest of their way.
#pragma once

#include <string>

#include "api/logging/entry.h"

namespace fireweed::logs {

struct LogLine {
  Time timestamp, receiveTimestamp;
  api::logging::Severity severity = api::logging::Severity::kDefault;
  std::string insertId;
  // At most one of the two.
  std::string textPayload;
  Json jsonPayload;
};

}  // namespace fireweed::logs
