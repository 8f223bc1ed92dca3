// The query language of Cloud Logging: what entries a reader wants.
//
//   resource.type="ml_job" AND resource.labels.job_id="census_1" AND severity>=WARNING
//   textPayload:"loss" OR jsonPayload.message=~"step [0-9]+"        -timestamp<"2026-11-15T07:00:00Z"
//   "connection reset"                                               anywhere in the entry
//
// NOT binds closest, then OR, then AND; two terms side by side are an AND. Strings compare without regard to case, as
// the original does; regular expressions search. A missing field equals nothing. A path that leads to or through a list
// matches if it does for any element: jsonPayload.tags="x", jsonPayload.steps.name:"eval". Pure; any thread.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "api/logging/entry.h"

namespace fireweed::logs {

class FilterNode;

class EntryFilter {
 public:
  // Throws Failure(kInvalid) with the place of what it does not understand. Empty: every entry.
  explicit EntryFilter(std::string_view text);
  ~EntryFilter();
  EntryFilter(EntryFilter&&) noexcept;

  bool Matches(const api::logging::LogEntry& entry) const;

  // What every matching entry has, as far as the filter says so plainly: a reader looks nowhere else.
  struct Bounds {
    int64_t from = INT64_MIN, to = INT64_MAX;  // timestamp in nanoseconds, both included
    std::optional<std::string> job;            // resource.labels.job_id
  };
  const Bounds& bounds() const { return bounds_; }

 private:
  std::unique_ptr<const FilterNode> root_;  // null: every entry
  Bounds bounds_;
};

}  // namespace fireweed::logs
