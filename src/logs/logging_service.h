// What for: Cloud Logging v2 over the log store: entries.list with the query language, entries.write, logs.
// Who calls: the router, on pool threads.
// May block: yes; a write until it is durable.
// Owns: nothing; borrows store, catalog and access.
// A failure: Failure in the words of the original.
#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "api/logging/service.h"
#include "base/clock.h"
#include "base/guarded.h"
#include "base/ids.h"
#include "catalog/record.h"
#include "logs/log_pollers.h"
#include "logs/log_store.h"
#include "logs/news_waiters.h"
#include "net/access.h"
#include "net/router.h"

namespace fireweed::logs {

struct LogRecord;

struct LoggingParts {
  LogStore& store;
  Catalog& catalog;
  net::AccessControl& access;
  IdSource& ids;
  const Clock& clock;
  // The id of a project that is named by id or number; makes it on first use where that is allowed; throws
  // Failure(kNotFound).
  std::function<std::string(const std::string& name, const net::Caller& caller)> project_id;
};

class LoggingService {
 public:
  explicit LoggingService(LoggingParts parts);
  void Serve(net::Router& router);

  // For those who write entries of their own (services, collectors): the log becomes known, readers are told.
  void Append(const std::string& project, std::vector<api::logging::LogEntry> entries,
              Durability durability);

  // True if the caller polls the lines of this job and has not read up to `end` yet (log_pollers.h).
  bool IsBehind(const net::Call& call, const std::string& project, const std::string& job,
                Time end) const;

 private:
  net::Answer List(const api::logging::ListEntries& request, const net::Call& call);
  api::Empty Write(const api::logging::WriteEntries& request, const net::Call& call);
  api::logging::LogNames ListLogs(const api::logging::ListLogs& request, const net::Call& call);
  api::Empty Delete(const api::logging::DeleteLog& request, const net::Call& call);

  void NotePoll(const LogQuery& query, const net::Call& call);
  std::vector<std::string> ReadableProjects(const api::logging::EntriesQuery& query,
                                            const net::Call& call);
  api::logging::EntriesPage Page(const LogQuery& query, bool always_token);
  void Complete(api::logging::LogEntry& entry, const api::logging::EntriesToWrite& defaults);
  void RememberLogs(const std::string& project, const std::vector<api::logging::LogEntry>& entries);
  std::vector<Row<LogRecord>> LogsOf(const std::string& project);
  // Log name to when what it had was deleted.
  std::map<std::string, int64_t> Deletions(const std::vector<std::string>& projects);

  LoggingParts parts_;
  NewsWaiters waiters_;
  LogPollers pollers_;
  Guarded<std::set<std::string>> known_logs_;  // "PROJECT/LOG" that the catalog has
};

}  // namespace fireweed::logs
