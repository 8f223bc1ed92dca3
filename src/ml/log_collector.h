// What for: follows the consoles of hidden instances that belong to a job, and turns every piece of output into log
//   entries: severity, task, trial, time, insert id. Nothing that was taken is lost by a kill -9, and nothing is there
//   twice: an entry's insert id is its place on the console.
// Who calls: job controllers ask Drained on the control thread; it does not block.
// Owns: a thread of its own. How far each console was read is in the catalog, together with nothing else.
// A failure: a console that cannot be read is logged and tried again; a full disk holds back all consoles.
//
// Fair: each round reads a bounded piece of every console that has news. Beyond a console's rate its lines are dropped
// and counted, and an entry says how many.
#pragma once

#include <functional>
#include <string>

namespace fireweed::ml {

class LogCollector {
 public:
  virtual ~LogCollector() = default;
  // Whether everything that the instances of this job have printed is in the log store: every console of an instance
  // that has ended was read to its end. True for a job without instances.
  virtual bool Drained(const std::string& project, const std::string& job) = 0;
  // `sink` is told, on the collector's thread, when the answer for a job has become true after it was asked for in vain;
  // it must not block. Set before the first instance is made.
  virtual void OnDrained(
      std::function<void(const std::string& project, const std::string& job)> sink) = 0;
};

}  // namespace fireweed::ml
