// What for: the lines of a job, in the log store: the service's own, written here, and the replicas', collected from
//   their consoles (log_collector.h). Entries are those that gcloud's stream-logs reads: resource ml_job with job_id,
//   task_name and project_id; the trial in the label ml.googleapis.com/trial_id.
// Who calls: any thread. May block: for a write to the log store, not for the disk.
// A failure: Failure when the disk is full.
#pragma once

#include <optional>
#include <string>

#include "api/logging/entry.h"
#include "base/clock.h"

namespace fireweed::logs {
class LogStore;
}  // namespace fireweed::logs

namespace fireweed::ml {

// Labels by which the collector knows the consoles that are a job's.
inline constexpr const char* kHiddenLabel = "fireweed-hidden";
inline constexpr const char* kJobLabel = "fireweed-job";
inline constexpr const char* kTaskLabel = "fireweed-task";    // master-replica-0
inline constexpr const char* kTrialLabel = "fireweed-trial";  // "3"; absent outside tuning
inline constexpr const char* kEnvironmentLabel = "fireweed-environment";  // of a builder

// On entries that report the progress of a preparation: when it began.
inline constexpr const char* kWaitsSinceLabel = "fireweed/waits_since";

// Who speaks in a line.
struct LineSource {
  std::string project, job;
  std::string task;   // "service" for the service itself, else the replica
  std::string trial;  // empty: none
  std::optional<Time> waits_since = std::nullopt;  // set: the line reports progress since then
};

// The entry without time, severity, id and payload.
api::logging::LogEntry EntryOf(const LineSource& source);

class JobLog {
 public:
  JobLog(logs::LogStore& store, const Clock& clock) : store_(store), clock_(clock) {}

  // The same words at the same time are one line however often they are written: a step that may run again after a crash
  // gives the time from its record. Without a time it is now.
  void Write(const LineSource& source, api::logging::Severity severity, const std::string& message,
             std::optional<Time> when = {});

  // No more lines are expected: the job has ended and its consoles are drained.
  void Seal(const std::string& project, const std::string& job);

 private:
  logs::LogStore& store_;
  const Clock& clock_;
};

}  // namespace fireweed::ml
