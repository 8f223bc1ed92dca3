// What for: prints a job's lines as they come in, until the job has ended and the last of them is there.
// May block: until then. Each question waits at the daemon for news, so a line is shown when it is written.
//
// Pages follow the entries' own times. Lines of several replicas are collected side by side, so one may come in with an
// earlier time than what was shown already: the last seconds are looked at again, and what was shown is left out.
#pragma once

#include <functional>
#include <map>
#include <string>

#include "base/clock.h"
#include "cli/ml/log_lines.h"
#include "cli/ml/ml_session.h"

namespace fireweed::cli {

class LogFollower {
 public:
  using Ask = std::function<JsonTree(const EntryQuery& query)>;
  using Show = std::function<void(const JsonTree& entry)>;

  LogFollower(std::string filter, Ask ask, Show show)
      : filter_(std::move(filter)), ask_(std::move(ask)), show_(std::move(show)) {}

  // Waits up to so many seconds for news, and shows them. False: there were none.
  bool Step(int wait);
  // Everything that there is by now.
  void Finish();

 private:
  // True when there are more pages.
  bool TakePage(EntryQuery& query, bool& news);
  void LookBack(Duration back);

  const std::string filter_;
  const Ask ask_;
  const Show show_;
  std::string token_;
  Time last_{};                   // the newest time shown
  std::map<size_t, Time> shown_;  // of the last seconds: hash of the whole entry to its time
};

struct FollowOptions {
  std::string task;
  bool multiline = false;
};

// The job as it ended. Lines go to standard error, as gcloud's do; the result is for standard output.
JsonTree FollowJob(MlSession& session, const std::string& job, const FollowOptions& options);

}  // namespace fireweed::cli
