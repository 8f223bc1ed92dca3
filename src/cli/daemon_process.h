// Starting and stopping fireweedd. The daemon says over a pipe that it serves; its end is seen
// through a pidfd. Nothing here polls or sleeps.
#pragma once

#include <chrono>
#include <string>
#include <vector>

namespace fireweed::cli {

struct DaemonStart {
  std::string program;
  std::vector<std::string> arguments;
  std::string log_path;  // its standard output and error are appended here
};

// Starts the daemon in a session of its own and returns when it serves. Throws Failure with the last
// lines of its log when it ends first.
void StartDaemon(const DaemonStart& start);
// Becomes the daemon, for supervisors. Returns only by throwing.
[[noreturn]] void BecomeDaemon(const DaemonStart& start);
// Waits until the process has ended and its locks are free. False when `limit` passed first.
bool WaitForEnd(int64_t pid, std::chrono::milliseconds limit);
// SIGTERM, then SIGKILL when `limit` has passed. True when it ended in good order.
bool StopDaemon(int64_t pid, std::chrono::milliseconds limit);

}  // namespace fireweed::cli
