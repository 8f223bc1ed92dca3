// A connection to a port of an instance through the daemon, by the tunnels of Identity-Aware Proxy: works from wherever
// the daemon's API does, with the rights of the caller.
// Threading: one thread per tunnel.
// Blocking: the constructor until the daemon has connected; Run until the tunnel has ended.
// Ownership: its connection to the daemon. Borrows the descriptors of Run.
// Errors: Failure as the daemon reported it; kUnavailable when the instance refuses the connection or the daemon's
//   connection breaks.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "base/random.h"
#include "client/rest_client.h"
#include "net/client_connection.h"

namespace fireweed {

struct TunnelDestination {
  std::string project, zone, instance;
  uint16_t port = 0;
};

class InstanceTunnel {
 public:
  InstanceTunnel(RestClient& client, const TunnelDestination& destination);

  // Copies `in` to the instance and its answers to `out`, until the instance closes or `in` ends. `in` and `out` may be
  // the same socket. Both are set to non-blocking.
  void Run(int in, int out);

 private:
  bool TakeMessages();
  void TakeData(std::string_view bytes);
  void Queue(std::string_view message);
  void ReadLocal(int in);
  void WriteLocal(int out);
  void ReadRemote();
  void WriteRemote();

  SystemRandom random_;
  std::unique_ptr<net::ClientConnection> connection_;
  std::string in_;       // from the daemon, not yet parsed
  std::string queued_;   // frames for the daemon
  std::string sending_;  // the frames that are being written: unchanged until they are through
  std::string local_;    // for `out`
  uint64_t received_ = 0, acknowledged_ = 0;
  bool open_ = false;          // the daemon has reached the instance
  bool local_ended_ = false;   // `in` has ended
  bool remote_ended_ = false;  // the instance, or the daemon, has closed
};

}  // namespace fireweed
