#include "cli/compute/tunnels.h"

#include <sys/socket.h>

#include <fmt/format.h>

#include "base/error.h"

namespace fireweed::cli {
namespace {

// In single quotes, for the shell that ssh runs a ProxyCommand with. ssh itself expands '%'.
std::string Quoted(const std::string& word) {
  std::string out = "'";
  for (char c : word) {
    if (c == '\'') {
      out += "'\\''";
    } else {
      out += c;
      if (c == '%') out += c;
    }
  }
  return out + "'";
}

// "zones/Z/instances/N"
std::string ZoneOf(const std::string& path) {
  size_t begin = path.find('/') + 1;
  return path.substr(begin, path.find('/', begin) - begin);
}

}  // namespace

bool NeedsTunnel(const Settings& settings) { return !settings.Daemon().server.empty(); }

TunnelDestination DestinationOf(const ResourceName& instance, uint16_t port) {
  return {instance.project, ZoneOf(instance.path), instance.name, port};
}

std::string ProxyCommand(const Settings& settings, const TunnelDestination& destination) {
  std::string command;
  for (const std::string& word :
       {settings.context->program_directory + "/fireweed", std::string("--state"), settings.State(),
        std::string("compute"), std::string("start-iap-tunnel"), destination.instance,
        std::to_string(destination.port), std::string("--listen-on-stdin"),
        "--project=" + destination.project, "--zone=" + destination.zone}) {
    command += (command.empty() ? "" : " ") + Quoted(word);
  }
  return command;
}

Tunnels::Tunnels(const Settings& settings)
    : client_(settings.Daemon(), ReadOwner(settings.State())) {}

Tunnels::~Tunnels() {
  for (Running& one : running_) one.thread.join();
}

void Tunnels::JoinFinished() {
  for (auto it = running_.begin(); it != running_.end();) {
    if (it->done) {
      it->thread.join();
      it = running_.erase(it);
    } else {
      ++it;
    }
  }
}

UniqueFd Tunnels::Open(const TunnelDestination& destination) {
  JoinFinished();
  auto tunnel = std::make_shared<InstanceTunnel>(client_, destination);
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
    throw Failure(ErrnoError(errno, "socketpair"));
  }
  UniqueFd near(ends[0]);
  auto far = std::make_shared<UniqueFd>(ends[1]);
  Running& one = running_.emplace_back();
  one.thread = std::thread([tunnel, far, &one] {
    try {
      tunnel->Run(far->get(), far->get());
    } catch (const Failure&) {
      // The connection to the daemon broke: the other end of the socket is closed.
    }
    far->reset();
    one.done = true;
  });
  return near;
}

}  // namespace fireweed::cli
