// Remembers how far clients that poll a job's lines have read.
//
// gcloud's `--stream-logs` reads lines that are at least five seconds old ("timestamp<NOW-5s"). After two reads without
// lines it stops as soon as the job has an endTime, even if it has not read the last lines yet. A client that has read
// up to the end of a job can be shown that end without losing lines; one that has not must read once more first.
//
// A poller is a caller and a User-Agent; gcloud's has an id of its own in each run.
//
// Threading: any thread.
// Blocking: never.
// Ownership: owns what it remembers, in memory only. After a restart every poller is unknown until its next read.
// Errors: none.
#pragma once

#include <map>
#include <string>
#include <utility>

#include "base/clock.h"
#include "base/guarded.h"

namespace fireweed::logs {

class LogPollers {
 public:
  explicit LogPollers(const Clock& clock) : clock_(clock) {}

  // `poller` has read the lines of `job` ("PROJECT/JOB") that are older than `until`. Reads that do not end shortly
  // before now are not polls and are ignored.
  void Note(const std::string& poller, const std::string& job, Time until);

  // True if `poller` polls the lines of `job` and has not read up to `end` yet. False for clients that do not poll, and
  // for those whose next read does not come within kPatience.
  bool IsBehind(const std::string& poller, const std::string& job, Time end) const;

  // The longest interval between two polls, gcloud's default, with some slack.
  static constexpr Duration kPatience = std::chrono::seconds(75);

 private:
  struct Progress {
    Time until{};  // lines before this are read
    Time at{};     // when that was
  };
  using Pollers = std::map<std::pair<std::string, std::string>, Progress>;  // by poller and job

  const Clock& clock_;
  Guarded<Pollers> pollers_;
};

}  // namespace fireweed::logs
