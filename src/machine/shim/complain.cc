#include "machine/shim/complain.h"

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>

namespace fireweed {

void Report(std::string_view line) {
  std::string text(line);
  for (char& c : text) {
    if (c == '\n') c = ' ';
  }
  text += '\n';
  // Nobody listens any more when the daemon has died; the machine goes on without it.
  if (write(STDOUT_FILENO, text.data(), text.size()) < 0) return;
}

void Fail(std::string_view what) {
  std::string why = std::strerror(errno);
  FailSaying(std::string(what) + ": " + why);
}

void FailSaying(std::string_view why) {
  Report("failed " + std::string(why));
  _exit(1);
}

}  // namespace fireweed
