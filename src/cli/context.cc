#include "cli/context.h"

#include <signal.h>

#include <fstream>

#include <fmt/format.h>

#include "base/error.h"

namespace fireweed::cli {

std::string DefaultState(const Context& context) {
  return context.user_id == 0 ? "/var/lib/fireweed" : context.home + "/.fireweed";
}

std::string Settings::State() const {
  if (!state.empty()) return state;
  auto it = context->environment.find("FIREWEED_STATE");
  if (it != context->environment.end() && !it->second.empty()) return it->second;
  return DefaultState(*context);
}

Endpoint Settings::Daemon() const {
  std::optional<Endpoint> endpoint = ReadEndpoint(State());
  if (!endpoint) {
    throw Failure(Code::kNotFound,
                  fmt::format("no daemon in {}: start one with `fireweed up`", State()));
  }
  if (!IsAlive(*endpoint)) {
    throw Failure(
        Code::kUnavailable,
        fmt::format("the daemon in {} is not running: start it with `fireweed up`", State()));
  }
  return *endpoint;
}

bool IsAlive(const Endpoint& endpoint) {
  if (endpoint.pid <= 0 || kill(static_cast<pid_t>(endpoint.pid), 0) != 0) return false;
  // The number may belong to another program by now, or to a daemon that has ended and was not reaped yet:
  // "4711 (fireweedd) S ...".
  std::ifstream stat(fmt::format("/proc/{}/stat", endpoint.pid));
  std::string number, name, state;
  stat >> number >> name >> state;
  const char* program = endpoint.server.empty() ? "(fireweedd)" : "(fireweed)";
  return name == program && state != "Z" && state != "X";
}

}  // namespace fireweed::cli
