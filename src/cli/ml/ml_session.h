// What for: the ml and logging APIs as JSON, for commands.
// Threads: one at a time. May block: on the network; Entries as long as it is told to wait.
// A failure: Failure as the server worded it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/context.h"
#include "client/rest_client.h"
#include "describe/json_tree.h"

namespace fireweed::cli {

class Command;

struct MlOptions {
  std::string project;
  bool quiet = false;

  void AddTo(Command& command);
};

// What a reader of log entries asks for.
struct EntryQuery {
  std::string filter, order = "timestamp asc", page;
  int size = 1000;
  int wait = 0;  // seconds that an empty answer may wait for something new
};

class MlSession {
 public:
  MlSession(const MlOptions& options, const Settings& settings);

  const Settings& settings() const { return settings_; }
  const std::string& project() const { return project_; }

  // `path` below the project: "jobs/J:cancel".
  JsonTree Call(std::string_view verb, const std::string& path, const JsonTree& body = {});
  // All pages.
  std::vector<JsonTree> List(const std::string& path, std::string_view items);
  // One page of log entries: {"entries": [...], "nextPageToken": "..."}.
  JsonTree Entries(const EntryQuery& query);
  JsonTree Job(const std::string& id);

  // A line for people on standard error, unless --quiet or --json.
  void Say(const std::string& text) const;

 private:
  MlSession(const MlOptions& options, const Settings& settings, const Endpoint& endpoint);

  const Settings& settings_;
  const std::string project_;
  const bool quiet_;
  RestClient client_;
};

}  // namespace fireweed::cli
