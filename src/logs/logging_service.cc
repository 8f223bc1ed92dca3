#include "logs/logging_service.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "base/bytes.h"
#include "catalog/record.h"
#include "describe/json_codec.h"

namespace fireweed {
namespace logs {

// Key: "PROJECT/LOG". A log is there from its first entry on.
struct LogRecord {
  bool listed = true;  // false after a deletion, until something new is written
  // What was received up to then has been deleted; nanoseconds.
  int64_t deleted_until = 0;
};

}  // namespace logs

template <>
inline constexpr auto kFields<logs::LogRecord> = [](auto...) {
  return Fields{F("listed", &logs::LogRecord::listed),
                F("deletedUntil", &logs::LogRecord::deleted_until)};
};
template <>
inline constexpr std::string_view kRecordKind<logs::LogRecord> = "log";

namespace logs {
namespace {

using api::logging::EntriesPage;
using api::logging::EntriesQuery;
using api::logging::LogEntry;
using net::Call;

constexpr int32_t kUsualPage = 50, kLargestPage = 1000;
constexpr size_t kLargestEntry = 256 << 10, kMostEntries = 10000;
constexpr int32_t kLongestWait = 60;
constexpr std::chrono::hours kLatest(24);  // how far in the future an entry may be

std::string ProjectOfName(std::string_view name) {
  constexpr std::string_view kPrefix = "projects/";
  if (!name.starts_with(kPrefix)) {
    throw Failure(
        Code::kInvalid,
        fmt::format("Invalid resource name: {} (only projects/PROJECT_ID is supported)", name));
  }
  name.remove_prefix(kPrefix.size());
  return std::string(name.substr(0, name.find('/')));
}

struct LogAddress {
  std::string project, log;  // log still percent-encoded
};

LogAddress ParseLogName(const std::string& name) {
  std::string project = ProjectOfName(name);
  std::string prefix = fmt::format("projects/{}/logs/", project);
  std::string log = name.starts_with(prefix) ? name.substr(prefix.size()) : "";
  bool sound = !log.empty() && log.size() < 512 && log.find('/') == log.npos;
  if (!sound) {
    throw Failure(Code::kInvalid,
                  fmt::format("log_name must be of the form projects/PROJECT_ID/logs/LOG_ID with "
                              "LOG_ID URL-encoded, got '{}'",
                              name));
  }
  return {project, log};
}

TimeOrder OrderOf(std::string_view text) {
  if (text.empty() || text == "timestamp" || text == "timestamp asc") {
    return TimeOrder::kOldestFirst;
  }
  if (text == "timestamp desc") return TimeOrder::kNewestFirst;
  throw Failure(Code::kInvalid,
                "order_by must be 'timestamp asc' (the default) or 'timestamp desc'");
}

size_t SizeOf(const LogEntry& entry) {
  size_t size = entry.textPayload.size() + entry.jsonPayload.text.size() +
                entry.protoPayload.text.size() + entry.httpRequest.text.size() +
                entry.operation.text.size() + entry.sourceLocation.text.size();
  for (const auto& [key, value] : entry.labels) size += key.size() + value.size();
  return size;
}

std::string PollerOf(const Call& call) {
  return fmt::format("{}\n{}", call.caller.principal, call.http.Header("User-Agent").value_or(""));
}

}  // namespace

LoggingService::LoggingService(LoggingParts parts)
    : parts_(std::move(parts)), pollers_(parts_.clock) {
  parts_.store.OnAppended(
      [this](const std::string& project, const std::string& job) { waiters_.Tell(project, job); });
}

void LoggingService::Serve(net::Router& router) {
  router.On(api::logging::kListEntries, this, &LoggingService::List);
  router.On(api::logging::kWriteEntries, this, &LoggingService::Write);
  router.On(api::logging::kListLogs, this, &LoggingService::ListLogs);
  router.On(api::logging::kDeleteLog, this, &LoggingService::Delete);
}

std::vector<std::string> LoggingService::ReadableProjects(const EntriesQuery& query,
                                                          const Call& call) {
  std::set<std::string> projects(query.projectIds.begin(), query.projectIds.end());
  for (const std::string& name : query.resourceNames) projects.insert(ProjectOfName(name));
  if (projects.empty()) {
    throw Failure(Code::kInvalid, "At least one resource name must be specified");
  }
  std::set<std::string> readable;
  for (const std::string& project : projects) {
    net::Require(parts_.access, call.caller, "logging.logEntries.list", "projects/" + project);
    readable.insert(parts_.project_id(project, call.caller));
  }
  return {readable.begin(), readable.end()};
}

EntriesPage LoggingService::Page(const LogQuery& query, bool always_token) {
  LogPage found = parts_.store.Read(query);
  EntriesPage page;
  for (const LogEntry& entry : found.entries) page.entries.push_back({EncodeJson(entry)});
  if (found.last && (found.more || always_token)) page.nextPageToken = found.last->Token();
  return page;
}

net::Answer LoggingService::List(const api::logging::ListEntries& request, const Call& call) {
  EntryFilter filter(request.body.filter);
  LogQuery query{.projects = ReadableProjects(request.body, call), .filter = filter};
  query.order = OrderOf(request.body.orderBy);
  int32_t size = request.body.pageSize;
  if (size < 0) throw Failure(Code::kInvalid, "page_size must not be negative");
  query.limit = static_cast<size_t>(std::min(size == 0 ? kUsualPage : size, kLargestPage));
  std::map<std::string, int64_t> deletions = Deletions(query.projects);
  query.hidden = [&](const LogEntry& entry) {
    auto it = deletions.find(entry.logName);
    return it != deletions.end() && entry.receiveTimestamp.time_since_epoch().count() <= it->second;
  };
  if (!request.body.pageToken.empty()) {
    query.after = LogPlace::Parse(request.body.pageToken);
    if (!query.after) throw Failure(Code::kInvalid, "page_token is invalid");
  }
  if (request.wait <= 0) {
    EntriesPage page = Page(query, false);
    NotePoll(query, call);
    return net::EncodeReply(TypeOf<EntriesPage>(), &page, call);
  }
  // Known to the appenders before the first look, so that nothing falls between the two.
  auto waiter = std::make_shared<net::Deferred>();
  auto again = [token = request.body.pageToken] {
    EntriesPage empty{.nextPageToken = token};
    net::Response response;
    response.Set("Content-Type", "application/json; charset=UTF-8");
    response.body = EncodeJson(empty, Audience::kWire);
    return response;
  };
  waiter->timeout_ms = int64_t{std::min(request.wait, kLongestWait)} * 1000;
  waiter->on_timeout = again;
  waiters_.Add({query.projects, filter.bounds().job}, waiter, again);
  EntriesPage page = Page(query, true);
  if (!page.entries.empty() || page.nextPageToken != request.body.pageToken) {
    waiter->Complete(net::EncodeReply(TypeOf<EntriesPage>(), &page, call));
  }
  return waiter;
}

void LoggingService::NotePoll(const LogQuery& query, const Call& call) {
  const EntryFilter::Bounds& bounds = query.filter.bounds();
  if (!bounds.job || bounds.to == INT64_MAX || query.projects.size() != 1) return;
  pollers_.Note(PollerOf(call), query.projects.front() + "/" + *bounds.job,
                Time(Duration(bounds.to)));
}

bool LoggingService::IsBehind(const Call& call, const std::string& project, const std::string& job,
                              Time end) const {
  return pollers_.IsBehind(PollerOf(call), project + "/" + job, end);
}

void LoggingService::Complete(LogEntry& entry, const api::logging::EntriesToWrite& defaults) {
  if (entry.logName.empty()) entry.logName = defaults.logName;
  if (entry.resource.type.empty()) entry.resource = defaults.resource;
  if (entry.resource.type.empty()) {
    throw Failure(Code::kInvalid, "Log entry is missing the required field 'resource'");
  }
  int payloads = !entry.textPayload.empty() + !entry.jsonPayload.text.empty() +
                 !entry.protoPayload.text.empty();
  if (payloads > 1) {
    throw Failure(Code::kInvalid,
                  "Log entry has more than one of textPayload, jsonPayload and protoPayload");
  }
  for (const auto& label : defaults.labels) entry.labels.insert(label);
  Time now = parts_.clock.Now();
  entry.receiveTimestamp = now;
  if (entry.timestamp == Time{}) entry.timestamp = now;
  if (entry.timestamp > now + kLatest) {
    throw Failure(Code::kInvalid, "Log entry timestamp is too far in the future");
  }
  if (entry.insertId.empty()) entry.insertId = parts_.ids.NextWord();
  if (SizeOf(entry) > kLargestEntry) {
    throw Failure(Code::kInvalid, fmt::format("Log entry with size {} exceeds maximum size of {}",
                                              SizeOf(entry), kLargestEntry));
  }
}

api::Empty LoggingService::Write(const api::logging::WriteEntries& request, const Call& call) {
  if (request.body.entries.size() > kMostEntries) {
    throw Failure(Code::kInvalid, fmt::format("At most {} entries at once", kMostEntries));
  }
  // All are sound before the first is written, unless the caller wants what can be had.
  std::map<std::string, std::vector<LogEntry>> by_project;
  std::optional<Error> first_error;
  for (const LogEntry& given : request.body.entries) {
    LogEntry entry = given;
    try {
      Complete(entry, request.body);
      LogAddress address = ParseLogName(entry.logName);
      by_project[address.project].push_back(std::move(entry));
    } catch (const Failure& failure) {
      if (!request.body.partialSuccess) throw;
      if (!first_error) first_error = failure.error();
    }
  }
  for (auto& [name, entries] : by_project) {
    net::Require(parts_.access, call.caller, "logging.logEntries.create", "projects/" + name);
    std::string id = parts_.project_id(name, call.caller);
    if (id != name) {
      for (LogEntry& entry : entries) {
        entry.logName = fmt::format("projects/{}/logs/{}", id, ParseLogName(entry.logName).log);
      }
    }
    if (!request.body.dryRun) Append(id, std::move(entries), Durability::kSynced);
  }
  if (first_error) throw Failure(*first_error);
  return {};
}

void LoggingService::Append(const std::string& project, std::vector<LogEntry> entries,
                            Durability durability) {
  RememberLogs(project, entries);
  parts_.store.Append(project, std::move(entries), durability);
}

void LoggingService::RememberLogs(const std::string& project,
                                  const std::vector<LogEntry>& entries) {
  std::set<std::string> unknown;
  known_logs_.With([&](const std::set<std::string>& known) {
    const std::string* last = nullptr;
    for (const LogEntry& entry : entries) {
      if (last && *last == entry.logName) continue;
      last = &entry.logName;
      std::string key = project + "/" + ParseLogName(entry.logName).log;
      if (!known.contains(key)) unknown.insert(key);
    }
  });
  if (unknown.empty()) return;
  parts_.catalog.Write("new log", [&](Txn& txn) {
    for (const std::string& key : unknown) {
      auto row = txn.Find<LogRecord>(key);
      LogRecord log = row ? row->value : LogRecord{};
      if (row && log.listed) continue;
      log.listed = true;
      txn.Put(key, log);
    }
  });
  known_logs_.With([&](std::set<std::string>& known) { known.merge(unknown); });
}

std::vector<Row<LogRecord>> LoggingService::LogsOf(const std::string& project) {
  return Query(parts_.catalog, [&](Txn& txn) {
    std::vector<Row<LogRecord>> logs;
    txn.ForEach<LogRecord>({.prefix = project + "/"},
                           [&](Row<LogRecord>& row) { logs.push_back(std::move(row)); });
    return logs;
  });
}

std::map<std::string, int64_t> LoggingService::Deletions(const std::vector<std::string>& projects) {
  std::map<std::string, int64_t> deletions;
  for (const std::string& project : projects) {
    for (const auto& row : LogsOf(project)) {
      if (row.value.deleted_until == 0) continue;
      std::string log = row.key.substr(project.size() + 1);
      deletions[fmt::format("projects/{}/logs/{}", project, log)] = row.value.deleted_until;
    }
  }
  return deletions;
}

api::logging::LogNames LoggingService::ListLogs(const api::logging::ListLogs& request,
                                                const Call& call) {
  std::string project = parts_.project_id(request.project, call.caller);
  api::logging::LogNames names;
  for (const auto& row : LogsOf(project)) {
    if (!row.value.listed) continue;
    names.logNames.push_back(
        fmt::format("projects/{}/logs/{}", project, row.key.substr(project.size() + 1)));
  }
  return names;
}

api::Empty LoggingService::Delete(const api::logging::DeleteLog& request, const Call& call) {
  std::string project = parts_.project_id(request.project, call.caller);
  std::string key = project + "/" + PercentEncode(request.log);
  int64_t now = parts_.clock.Now().time_since_epoch().count();
  known_logs_.With([&](std::set<std::string>& known) { known.erase(key); });
  parts_.catalog.Write("log deleted", [&](Txn& txn) {
    if (!txn.Find<LogRecord>(key)) {
      throw Failure(Code::kNotFound, fmt::format("Log {} does not exist", request.log));
    }
    txn.Put(key, LogRecord{.listed = false, .deleted_until = now});
  });
  return {};
}

}  // namespace logs
}  // namespace fireweed
