// Tunnels to instances for commands, each served by a thread: the way to an instance whose address this machine cannot
// reach.
// Threading: Open from one thread at a time; each tunnel runs on its own thread.
// Blocking: Open until the daemon has connected; the destructor until all tunnels have ended.
// Ownership: the threads. The caller owns the descriptor that Open returns; closing it ends the tunnel.
// Errors: Failure as InstanceTunnel reports it. A tunnel that breaks closes its end of the descriptor.
#pragma once

#include <atomic>
#include <list>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "base/unique_fd.h"
#include "cli/compute/compute_session.h"
#include "cli/context.h"
#include "client/instance_tunnel.h"
#include "client/rest_client.h"

namespace fireweed::cli {

// Whether the daemon is on another machine, so that addresses of its instances lead nowhere here.
bool NeedsTunnel(const Settings& settings);
// The destination that a resource name of an instance stands for.
TunnelDestination DestinationOf(const ResourceName& instance, uint16_t port);
// The words of a command that carries its standard input and output to the destination: for ssh's ProxyCommand.
std::string ProxyCommand(const Settings& settings, const TunnelDestination& destination);

class Tunnels {
 public:
  explicit Tunnels(const Settings& settings);
  ~Tunnels();

  // A socket whose other end is the port of the instance.
  UniqueFd Open(const TunnelDestination& destination);

 private:
  struct Running {
    std::thread thread;
    std::atomic<bool> done{false};
  };
  void JoinFinished();

  RestClient client_;
  std::list<Running> running_;
};

}  // namespace fireweed::cli
