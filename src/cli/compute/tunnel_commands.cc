// `fireweed compute start-iap-tunnel`, in gcloud's words: a local port, or standard input and output, carried to a port of
// an instance through the daemon.
#include <unistd.h>

#include <cstdio>

#include <fmt/format.h>

#include "base/error.h"
#include "cli/compute/compute_commands.h"
#include "cli/compute/compute_session.h"
#include "cli/compute/tunnels.h"
#include "cli/grammar.h"
#include "cli/notebooks/relay.h"

namespace fireweed::cli {
namespace {

struct TunnelCommand {
  std::string instance, local = "localhost:0";
  int64_t port = 0;
  bool standard_input = false;
  PlaceOptions place;
};

uint16_t Port(int64_t port) {
  if (port < 1 || port > 65535) throw Failure(Code::kInvalid, "the port must be 1 to 65535");
  return static_cast<uint16_t>(port);
}

uint16_t LocalPortOf(const std::string& local) {
  size_t colon = local.rfind(':');
  std::string host = local.substr(0, colon == std::string::npos ? 0 : colon);
  std::string port = colon == std::string::npos ? local : local.substr(colon + 1);
  if (!host.empty() && host != "localhost" && host != "127.0.0.1") {
    throw Failure(Code::kInvalid, fmt::format("cannot listen on '{}'; use localhost:PORT", host));
  }
  if (port.empty() || port.size() > 5 || port.find_first_not_of("0123456789") != port.npos ||
      std::stoi(port) > 65535) {
    throw Failure(Code::kInvalid, fmt::format("invalid port '{}'; use localhost:PORT", port));
  }
  return static_cast<uint16_t>(std::stoi(port));
}

void StartTunnel(const TunnelCommand& command, const Settings& settings) {
  ComputeSession session(command.place, settings);
  TunnelDestination destination = DestinationOf(
      session.Resource(Scope::kZone, "instances", command.instance), Port(command.port));
  if (command.standard_input) {
    RestClient client(settings.Daemon(), ReadOwner(settings.State()));
    InstanceTunnel(client, destination).Run(STDIN_FILENO, STDOUT_FILENO);
    return;
  }
  Tunnels tunnels(settings);
  tunnels.Open(destination);  // fails now rather than at the first connection
  Relay relay(LocalPortOf(command.local), Relay::Dial([&]() -> UniqueFd {
                try {
                  return tunnels.Open(destination);
                } catch (const Failure& failure) {
                  session.Say(failure.what());
                  return UniqueFd();
                }
              }));
  fmt::print("Listening on port [{}].\n", relay.port());
  std::fflush(stdout);
  relay.Run();
}

}  // namespace

void AddTunnelCommands(Command& root, Settings& settings) {
  auto tunnel = std::make_shared<TunnelCommand>();
  Command* command = root.AddCommand("start-iap-tunnel",
                                     "Carry a local port to a port of an instance, until killed");
  command->AddOption("instance", tunnel->instance, "Instance")->Required();
  command->AddOption("port", tunnel->port, "Port of the instance")->Required();
  command->AddOption("--local-host-port", tunnel->local, "Local address; port 0: any")
      ->ShowDefault();
  command->AddFlag("--listen-on-stdin", tunnel->standard_input,
                   "Standard input and output instead of a local port");
  tunnel->place.AddTo(*command, Scope::kZone);
  command->OnRun([tunnel, &settings] { StartTunnel(*tunnel, settings); });
}

}  // namespace fireweed::cli
