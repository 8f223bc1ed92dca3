// The workload of a machine: started by process 1, its output copied to the console, its end the machine's.
// One thread. Start and Copy may block on the console: a console that takes nothing holds the workload back.
#pragma once

#include <signal.h>
#include <sys/types.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "init/workload_file.h"

namespace fireweed {

class WorkloadRun {
 public:
  // `environment`: of the machine; the order's variables come on top.
  WorkloadRun(WorkloadOrder order, const std::vector<std::string>& environment);

  // The pid, which leads a session of its own. A program that cannot be run ends with 126 or 127 and says why. `mask`:
  // the signals that are blocked in it.
  pid_t Start(const sigset_t& mask);

  // To be polled for reading; -1: closed.
  int output() const { return streams_[0].fd; }
  int error() const { return streams_[1].fd; }
  // Copies what is there now, a bounded piece.
  void Copy();
  // The rest of what it and those it left behind have printed by now.
  void Drain();

 private:
  struct Stream {
    char name;
    int fd = -1;
    std::string partial{};  // the beginning of a line
  };
  bool CopyFrom(Stream& stream);
  void Print(Stream& stream, std::string_view bytes);
  void Flush(Stream& stream);
  void Write(char stream, std::string_view piece);
  void Run(int out, int err, const sigset_t& mask);
  bool EnterDirectory() const;

  const WorkloadOrder order_;
  std::vector<std::string> environment_;
  std::string home_ = "/";
  int64_t next_time_ = 0;  // of a mark: after every byte of the piece before it
  Stream streams_[2] = {{'O'}, {'E'}};
};

}  // namespace fireweed
