// What for: one Python process with a model in it, and frames over its pipes.
// Threads: one at a time. May block: Start and Ask until the answer, the end of the process, or the limit.
// Owns: the process; it dies with this object.
// A failure: Failure kUnavailable when the process ended or hung (it is gone then, alive() is false), kInvalid for what
//   it says about the instances, kInternal for what its model threw. Start: kInvalid, the model cannot be loaded.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/process.h"

namespace fireweed::predict {

class WorkerProcess {
 public:
  struct Command {
    std::vector<std::string> argv;
    std::optional<std::vector<std::string>> environment;
    Duration start_limit = std::chrono::seconds(120);
    Duration answer_limit = std::chrono::seconds(60);
  };

  WorkerProcess(const Command& command, const Clock& clock);

  void Start();
  // The predictions' JSON.
  std::string Ask(std::string_view request);
  bool alive() const { return child_.has_value(); }
  int pid() const { return child_ ? child_->pid() : -1; }

 private:
  struct Frame {
    char kind;
    std::string text;
  };
  Frame Exchange(std::string_view out, Duration limit);
  bool Read(std::string& in);
  void PassOnErrors();
  [[noreturn]] void Ended();

  const Command& command_;
  const Clock& clock_;
  std::optional<ChildProgram> child_;
};

}  // namespace fireweed::predict
