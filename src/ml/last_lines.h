// The end of what a replica has printed, for the message of a job that failed by it. May block on the log store's files.
#pragma once

#include <string>
#include <vector>

#include "ml/job_log.h"

namespace fireweed::ml {

inline constexpr size_t kLastLines = 15;
inline constexpr size_t kLastBytes = 4096;

// Oldest first, at most kLastLines and kLastBytes; without what the service itself said of the task.
std::vector<std::string> LastLines(logs::LogStore& store, const LineSource& source);

}  // namespace fireweed::ml
