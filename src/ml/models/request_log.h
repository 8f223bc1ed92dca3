// What for: a sample of requests and answers of a version, as lines of JSON in objects of a bucket.
// Threads: Note on I/O threads, never blocks; Flush on one that may.
// Owns: lines that were not written yet, a few megabytes at most: more are counted and dropped.
// A failure: lines that cannot be written are dropped and told in the daemon's log; so are those of requests that are
//   under way while the daemon ends.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>

#include "base/guarded.h"
#include "base/ids.h"
#include "base/log.h"
#include "base/random.h"
#include "base/result.h"
#include "ml/models/predict_gateway.h"

namespace fireweed::ml {

class RequestLog {
 public:
  // Writes an object as the version's account.
  using Write = std::function<Result<>(const VersionRecord&, const std::string& bucket,
                                       const std::string& name, const std::string& bytes)>;
  RequestLog(Write write, IdSource& ids, Logger& log)
      : write_(std::move(write)), ids_(ids), log_(log) {}

  void Note(const ServedExchange& exchange);
  // Writes everything that was noted, one object per version.
  void Flush();

 private:
  static constexpr size_t kMostBytes = 8 << 20;
  struct Pending {
    VersionRecord version;
    std::string lines;
  };
  struct State {
    std::map<Key, Pending> by_version;
    size_t bytes = 0;
    int64_t dropped = 0;
    std::map<Key, double> due;  // how much of the next line is due: sampling without chance
  };

  const Write write_;
  IdSource& ids_;
  Logger& log_;
  Guarded<State> state_;
};

}  // namespace fireweed::ml
