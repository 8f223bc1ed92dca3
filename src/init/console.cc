#include "init/console.h"

#include <sys/utsname.h>
#include <unistd.h>

#include <ctime>
#include <utility>

namespace fireweed {

std::string FormatConsoleLine(std::string_view when, std::string_view host,
                              std::string_view program, int pid, std::string_view text) {
  std::string line;
  line.append(when).append(" ").append(host).append(" ").append(program);
  line.append("[").append(std::to_string(pid)).append("]: ").append(text).append("\n");
  return line;
}

void SayOnConsole(std::string_view program, std::string_view text) {
  // NOHOUSE(clock): process 1 of a machine has no one who could hand it a Clock.
  std::time_t now = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&now, &parts);
  char when[32];
  size_t size = std::strftime(when, sizeof when, "%b %e %H:%M:%S", &parts);
  utsname host{};
  uname(&host);
  std::string line =
      FormatConsoleLine({when, size}, host.nodename, program, static_cast<int>(getpid()), text);
  // A console that takes nothing must not stop the machine.
  if (write(STDOUT_FILENO, line.data(), line.size()) < 0) return;
}

std::vector<std::string> LineCutter::Add(std::string_view bytes) {
  std::vector<std::string> lines;
  for (char c : bytes) {
    if (c != '\n') partial_.push_back(c);
    if (c == '\n' && !partial_.empty() && partial_.back() == '\r') partial_.pop_back();
    if (c == '\n' || partial_.size() == kLongest) lines.push_back(std::exchange(partial_, {}));
  }
  return lines;
}

std::vector<std::string> LineCutter::Finish() {
  if (partial_.empty()) return {};
  return {std::exchange(partial_, {})};
}

}  // namespace fireweed
