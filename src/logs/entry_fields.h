// The fields of an entry by the paths that filters use: "severity", "resource.labels.job_id", "jsonPayload.loss",
// "labels.\"compute.googleapis.com/name\"". Pure.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/logging/entry.h"

namespace fireweed::logs {

struct FieldValue {
  enum class Kind { kText, kNumber, kBool, kTime, kSeverity, kTree };
  Kind kind = Kind::kText;
  std::string text;  // as a filter would write it; JSON for kTree
};

// The values that `path` leads to: none if the entry has no such field, several if the path leads through or to a
// list, whose elements count one by one.
std::vector<FieldValue> FieldsOf(const api::logging::LogEntry& entry,
                                 const std::vector<std::string>& path);

// Calls `visit` with the text of every scalar in the entry until it says true; whether it ever did.
bool AnyText(const api::logging::LogEntry& entry,
             const std::function<bool(std::string_view)>& visit);

// Rank of "ERROR", "error" or "500"; nullopt for what is none.
std::optional<int> SeverityRank(std::string_view word);

}  // namespace fireweed::logs
