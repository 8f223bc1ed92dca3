// Log entries of a job as lines for people, in gcloud's columns: severity, local time, task, trial, message. Pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "describe/json_tree.h"

namespace fireweed::cli {

struct LineStyle {
  bool colours = false;    // one for each replica, as many as a terminal has
  bool multiline = false;  // a message with line ends stays one entry
  bool utc = false;        // times in UTC, for tests
};

// What an entry says: textPayload, or jsonPayload's message followed by what else is in it.
std::string MessageOf(const JsonTree& entry);

// What a job waits for while it is prepared: "Installing trainer-0.1.tar.gz", and since when.
struct Preparation {
  std::string what;
  Time since{};
};
// Set for an entry that only reports progress.
std::optional<Preparation> PreparationOf(const JsonTree& entry);
// "Installing trainer-0.1.tar.gz: 1:05 min"; not wider than `columns`.
std::string PreparationText(const Preparation& preparation, Time now, size_t columns);

// Each without its line end.
std::vector<std::string> LinesOf(const JsonTree& entry, const LineStyle& style);

// The filter for a job's entries; `task` empty: of all replicas.
std::string JobFilter(const std::string& job, const std::string& task);

}  // namespace fireweed::cli
