#include "machine/process/marked_processes.h"

#include <poll.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <charconv>
#include <filesystem>
#include <vector>

#include "base/unique_fd.h"
#include "machine/kept/state_file.h"

namespace fireweed {
namespace {

namespace fs = std::filesystem;

constexpr int kPatienceMs = 30'000;

// `environment` as /proc has it: each variable ends with a zero byte.
bool Holds(const std::string& environment, const std::string& variable) {
  std::string entry = variable + '\0';
  return environment.starts_with(entry) || environment.find('\0' + entry) != std::string::npos;
}

// Those that were killed; readable once they have ended.
std::vector<UniqueFd> KillOnce(const std::string& variable) {
  std::vector<UniqueFd> killed;
  std::error_code failed;
  for (const auto& entry : fs::directory_iterator("/proc", failed)) {
    std::string name = entry.path().filename();
    pid_t pid = 0;
    std::from_chars(name.data(), name.data() + name.size(), pid);
    if (pid <= 0) continue;
    // Opened before it is looked at: the number may be somebody else's by the time of the kill.
    UniqueFd process(static_cast<int>(syscall(SYS_pidfd_open, pid, 0)));
    if (!process || !Holds(ReadStateFile(entry.path() / "environ").value_or(""), variable))
      continue;
    if (syscall(SYS_pidfd_send_signal, process.get(), SIGKILL, nullptr, 0) == 0) {
      killed.push_back(std::move(process));
    }
  }
  return killed;
}

}  // namespace

void KillMarked(const std::string& variable) {
  // Until a round finds none: one that was killed may have started another just before.
  while (true) {
    std::vector<UniqueFd> killed = KillOnce(variable);
    if (killed.empty()) return;
    for (const UniqueFd& process : killed) {
      pollfd wait{process.get(), POLLIN, 0};
      if (poll(&wait, 1, kPatienceMs) == 0) return;
    }
  }
}

}  // namespace fireweed
