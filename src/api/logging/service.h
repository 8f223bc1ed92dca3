// Cloud Logging v2: the part that gcloud and the client libraries use to write and read entries.
#pragma once

#include <string>
#include <vector>

#include "api/logging/entry.h"
#include "api/method.h"

namespace fireweed::api::logging {

inline constexpr std::string_view kHosts[] = {"logging.googleapis.com"};
inline constexpr Service kService{.name = "logging",
                                  .version = "v2",
                                  .title = "Cloud Logging API",
                                  .hosts = kHosts,
                                  .refuse_unknown_fields = true,
                                  .path_names = PathNames::kByResource};

struct EntriesQuery {
  std::vector<std::string> resourceNames, projectIds;
  std::string filter, orderBy, pageToken;
  int32_t pageSize = 0;
};
struct ListEntries {
  EntriesQuery body;
  // Ours: how long an empty answer may wait for something new to come in (at most a minute).
  int32_t wait = 0;
};
struct EntriesPage {
  std::vector<Json> entries;  // LogEntry, times with every digit
  std::string nextPageToken;
};

struct EntriesToWrite {
  std::string logName;
  MonitoredResource resource;
  std::map<std::string, std::string> labels;
  std::vector<LogEntry> entries;
  bool partialSuccess = false, dryRun = false;
};
struct WriteEntries {
  EntriesToWrite body;
};

struct ListLogs {
  std::string project, pageToken;
  int32_t pageSize = 0;
  std::vector<std::string> resourceNames;
};
struct LogNames {
  std::vector<std::string> logNames;
  std::string nextPageToken;
};
struct DeleteLog {
  std::string project, log;
};

inline constexpr Method<ListEntries, EntriesPage> kListEntries{
    kService, Verb::kPost, "/v2/entries:list", "logging.entries.list"};
inline constexpr Method<WriteEntries, Empty> kWriteEntries{
    kService, Verb::kPost, "/v2/entries:write", "logging.entries.write"};
inline constexpr Method<ListLogs, LogNames> kListLogs{kService,
                                                      Verb::kGet,
                                                      "/v2/projects/{project}/logs",
                                                      "logging.projects.logs.list",
                                                      "logging.logs.list",
                                                      "projects/{project}"};
inline constexpr Method<DeleteLog, Empty> kDeleteLog{kService,
                                                     Verb::kDelete,
                                                     "/v2/projects/{project}/logs/{log}",
                                                     "logging.projects.logs.delete",
                                                     "logging.logs.delete",
                                                     "projects/{project}"};

}  // namespace fireweed::api::logging

namespace fireweed {
template <>
inline constexpr std::string_view kTypeName<api::logging::EntriesQuery> = "ListLogEntriesRequest";
template <>
inline constexpr auto kFields<api::logging::EntriesQuery> = [](auto...) {
  return Fields{F("resourceNames", &api::logging::EntriesQuery::resourceNames),
                F("projectIds", &api::logging::EntriesQuery::projectIds),
                F("filter", &api::logging::EntriesQuery::filter),
                F("orderBy", &api::logging::EntriesQuery::orderBy),
                F("pageSize", &api::logging::EntriesQuery::pageSize),
                F("pageToken", &api::logging::EntriesQuery::pageToken)};
};
template <>
inline constexpr auto kFields<api::logging::ListEntries> = [](auto...) {
  return Fields{F("body", &api::logging::ListEntries::body, kBody),
                F("wait", &api::logging::ListEntries::wait, kQuery)};
};
template <>
inline constexpr std::string_view kTypeName<api::logging::EntriesPage> = "ListLogEntriesResponse";
template <>
inline constexpr auto kFields<api::logging::EntriesPage> = [](auto...) {
  return Fields{F("entries", &api::logging::EntriesPage::entries),
                F("nextPageToken", &api::logging::EntriesPage::nextPageToken)};
};
template <>
inline constexpr std::string_view kTypeName<api::logging::EntriesToWrite> =
    "WriteLogEntriesRequest";
template <>
inline constexpr auto kFields<api::logging::EntriesToWrite> = [](auto...) {
  return Fields{F("logName", &api::logging::EntriesToWrite::logName),
                F("resource", &api::logging::EntriesToWrite::resource),
                F("labels", &api::logging::EntriesToWrite::labels),
                F("entries", &api::logging::EntriesToWrite::entries),
                F("partialSuccess", &api::logging::EntriesToWrite::partialSuccess),
                F("dryRun", &api::logging::EntriesToWrite::dryRun)};
};
template <>
inline constexpr auto kFields<api::logging::WriteEntries> =
    [](auto...) { return Fields{F("body", &api::logging::WriteEntries::body, kBody)}; };
template <>
inline constexpr auto kFields<api::logging::ListLogs> = [](auto...) {
  return Fields{F("project", &api::logging::ListLogs::project, kPath),
                F("pageSize", &api::logging::ListLogs::pageSize, kQuery),
                F("pageToken", &api::logging::ListLogs::pageToken, kQuery),
                F("resourceNames", &api::logging::ListLogs::resourceNames, kQuery)};
};
template <>
inline constexpr std::string_view kTypeName<api::logging::LogNames> = "ListLogsResponse";
template <>
inline constexpr auto kFields<api::logging::LogNames> = [](auto...) {
  return Fields{F("logNames", &api::logging::LogNames::logNames),
                F("nextPageToken", &api::logging::LogNames::nextPageToken)};
};
template <>
inline constexpr auto kFields<api::logging::DeleteLog> = [](auto...) {
  return Fields{F("project", &api::logging::DeleteLog::project, kPath),
                F("log", &api::logging::DeleteLog::log, kPath)};
};
}  // namespace fireweed
