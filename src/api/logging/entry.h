// A log entry as Logging v2 has it.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "describe/type.h"

namespace fireweed::api::logging {

enum class Severity {
  kDefault,
  kDebug,
  kInfo,
  kNotice,
  kWarning,
  kError,
  kCritical,
  kAlert,
  kEmergency,
};

// What an entry is about: {"type": "ml_job", "labels": {"job_id": "..."}}.
struct MonitoredResource {
  std::string type;
  std::map<std::string, std::string> labels;
};

struct LogEntry {
  std::string logName;  // projects/P/logs/LOG, slashes in LOG percent-encoded
  MonitoredResource resource;
  Time timestamp, receiveTimestamp;
  Severity severity = Severity::kDefault;
  std::string insertId;
  std::map<std::string, std::string> labels;
  // At most one of the three.
  std::string textPayload;
  Json jsonPayload, protoPayload;
  // Kept and shown as they came.
  Json httpRequest, operation, sourceLocation, split;
  std::string trace, spanId;
  std::optional<bool> traceSampled;
};

}  // namespace fireweed::api::logging

namespace fireweed {
template <>
inline constexpr std::string_view kTypeName<api::logging::Severity> = "LogSeverity";
template <>
inline constexpr std::array<std::string_view, 9> kEnumNames<api::logging::Severity>{
    "DEFAULT", "DEBUG", "INFO", "NOTICE", "WARNING", "ERROR", "CRITICAL", "ALERT", "EMERGENCY"};
template <>
inline constexpr std::string_view kTypeName<api::logging::MonitoredResource> = "MonitoredResource";
template <>
inline constexpr auto kFields<api::logging::MonitoredResource> = [](auto...) {
  return Fields{F("type", &api::logging::MonitoredResource::type),
                F("labels", &api::logging::MonitoredResource::labels)};
};
template <>
inline constexpr std::string_view kTypeName<api::logging::LogEntry> = "LogEntry";
template <>
inline constexpr auto kFields<api::logging::LogEntry> = [](auto...) {
  return Fields{F("logName", &api::logging::LogEntry::logName),
                F("resource", &api::logging::LogEntry::resource),
                F("timestamp", &api::logging::LogEntry::timestamp),
                F("receiveTimestamp", &api::logging::LogEntry::receiveTimestamp, kOutput),
                F("severity", &api::logging::LogEntry::severity),
                F("insertId", &api::logging::LogEntry::insertId),
                F("labels", &api::logging::LogEntry::labels),
                F("textPayload", &api::logging::LogEntry::textPayload),
                F("jsonPayload", &api::logging::LogEntry::jsonPayload),
                F("protoPayload", &api::logging::LogEntry::protoPayload),
                F("httpRequest", &api::logging::LogEntry::httpRequest),
                F("operation", &api::logging::LogEntry::operation),
                F("sourceLocation", &api::logging::LogEntry::sourceLocation),
                F("split", &api::logging::LogEntry::split),
                F("trace", &api::logging::LogEntry::trace),
                F("spanId", &api::logging::LogEntry::spanId),
                F("traceSampled", &api::logging::LogEntry::traceSampled)};
};
}  // namespace fireweed
