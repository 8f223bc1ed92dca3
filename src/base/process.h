// Programs of the host, started without a shell: argv is argv, nothing is expanded.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "base/unique_fd.h"

namespace fireweed {

struct ProgramSpec {
  std::vector<std::string> argv;  // argv[0] is looked up in PATH unless it holds a slash
  // "NAME=value"; absent: this process's own.
  std::optional<std::vector<std::string>> environment;
  std::string directory;  // empty: this process's own
  bool new_session =
      false;  // its own session and process group, out of reach of the terminal's signals
};

struct ProgramOutcome {
  int exit_code = 0;  // as the shell shows it: 128 + signal where one ended it
  std::string output;
  std::string error;

  bool ok() const { return exit_code == 0; }
};

// As the shell shows a status of waitpid(2).
int ShellExitCode(int wait_status);

// A started program and our ends of its pipes. One thread at a time, except that Kill may be called by any.
class ChildProgram {
 public:
  // kNotFound: no such program. The child has all signals at their defaults and inherits no other descriptor.
  static Result<ChildProgram> Spawn(const ProgramSpec& spec);

  ChildProgram(ChildProgram&& other) noexcept;
  ChildProgram& operator=(ChildProgram&& other) noexcept;
  ~ChildProgram();  // kills and reaps what has not been waited for

  UniqueFd input;
  UniqueFd output;
  UniqueFd error;

  // Writes to its input; false when it takes no more or, for a non-blocking input, would block. A program that has
  // closed its input raises no SIGPIPE here. `written` bytes are taken off the front of `bytes`.
  bool Feed(std::string_view& bytes);

  pid_t pid() const { return pid_; }
  int pidfd() const { return pidfd_.get(); }  // readable once it has ended
  void Kill(int signal);
  // Blocks until it has ended; the exit code as the shell shows it. Again: the same answer.
  int Wait();

 private:
  ChildProgram() = default;

  pid_t pid_ = -1;
  UniqueFd pidfd_;
  std::optional<int> exit_code_;
};

// Runs a program to its end with `input` as its standard input. Past `timeout` it is killed and the answer is
// kUnavailable. A non-zero exit is an outcome, not an error. Output beyond 16 MiB is kTooLarge.
Result<ProgramOutcome> RunProgram(const ProgramSpec& spec, Duration timeout,
                                  std::string_view input = {});

}  // namespace fireweed
