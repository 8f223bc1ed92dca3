#include "ml/job_log.h"

#include <functional>

#include <fmt/format.h>

#include "base/bytes.h"
#include "logs/log_store.h"

namespace fireweed::ml {

using api::logging::LogEntry;

LogEntry EntryOf(const LineSource& source) {
  LogEntry entry;
  entry.logName = fmt::format("projects/{}/logs/{}", source.project, PercentEncode(source.task));
  entry.resource.type = "ml_job";
  entry.resource.labels = {
      {"job_id", source.job}, {"project_id", source.project}, {"task_name", source.task}};
  entry.labels = {{"ml.googleapis.com/job_id", source.job},
                  {"ml.googleapis.com/task_name", source.task}};
  if (!source.trial.empty()) entry.labels["ml.googleapis.com/trial_id"] = source.trial;
  if (source.waits_since) entry.labels[kWaitsSinceLabel] = FormatTime(*source.waits_since, 3);
  return entry;
}

void JobLog::Write(const LineSource& source, api::logging::Severity severity,
                   const std::string& message, std::optional<Time> when) {
  LogEntry entry = EntryOf(source);
  entry.receiveTimestamp = clock_.Now();
  entry.timestamp = when.value_or(entry.receiveTimestamp);
  entry.severity = severity;
  entry.textPayload = message;
  entry.insertId = fmt::format("s{:016x}", std::hash<std::string>()(source.trial + "\n" + message));
  store_.Append(source.project, {std::move(entry)}, logs::Durability::kWritten);
}

void JobLog::Seal(const std::string& project, const std::string& job) {
  store_.SealJob(project, job);
}

}  // namespace fireweed::ml
