#include "cli/context.h"

#include <signal.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include <fmt/format.h>

#include "base/error.h"
#include "cli/ini_file.h"

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

namespace {

std::string Variable(const Context& context, const std::string& name) {
  auto it = context.environment.find(name);
  return it == context.environment.end() ? "" : it->second;
}

// What `config set` chose in this shell, by this program or by gcloud.
void ApplyProperties(const Context& context, Endpoint& endpoint) {
  std::ifstream file(ClientConfigPath(context));
  std::stringstream text;
  text << file.rdbuf();
  IniFile properties = IniFile::Parse(text.str());
  endpoint.default_project = properties.Get("core", "project").value_or(endpoint.default_project);
  endpoint.zone = properties.Get("compute", "zone").value_or(endpoint.zone);
}

}  // namespace

std::string ClientConfigPath(const Context& context) {
  std::string directory = Variable(context, "CLOUDSDK_CONFIG");
  if (directory.empty() || Variable(context, "FIREWEED_ENV").empty()) return "";
  return directory + "/configurations/config_default";
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
  // The shell's properties are for the daemon it was pointed at.
  if (std::filesystem::absolute(State()).string() == Variable(*context, "FIREWEED_STATE")) {
    ApplyProperties(*context, *endpoint);
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
