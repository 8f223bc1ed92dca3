#include "machine/shim/descendants.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <string>

#include "machine/shim/small_file.h"

namespace fireweed {

void KillDescendants() {
  std::string self = std::to_string(getpid());
  std::string list = "/proc/" + self + "/task/" + self + "/children";
  while (true) {
    // Each round takes one generation; the next one has become our children by its end.
    std::string children = ReadSmallFile(list.c_str());
    if (children.empty() && waitpid(-1, nullptr, WNOHANG) < 0 && errno == ECHILD) return;
    for (size_t from = 0; from < children.size();) {
      size_t to = std::min(children.find(' ', from), children.size());
      pid_t pid = static_cast<pid_t>(std::atol(children.substr(from, to - from).c_str()));
      from = to + 1;
      if (pid <= 0) continue;
      kill(pid, SIGKILL);
      waitpid(pid, nullptr, 0);
    }
  }
}

}  // namespace fireweed
