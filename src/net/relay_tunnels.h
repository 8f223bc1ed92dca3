// Tunnels of Identity-Aware Proxy (relay.tunnel.cloudproxy.app): bytes between a WebSocket client and a TCP port of an
// instance. A tunnel outlives its WebSocket for kParked: a client whose connection broke resumes it by its session id.
// Threading: any; the tunnels themselves run on the I/O threads of their sessions.
// Blocking: Open never. Resume waits up to kHandOver until the earlier connection has released the tunnel.
// Ownership: counts and finds tunnels, which belong to their sessions. Must outlive the server that runs them.
// Errors: Failure kInvalid (not a handshake), kExhausted (too many tunnels of one caller), kNotFound (no such session
//   id, or another caller's), kUnavailable (the earlier connection is still busy).
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "base/guarded.h"
#include "base/random.h"
#include "net/http_message.h"
#include "net/upgrade.h"

namespace fireweed::net {

class RelayTunnel;

struct RelayTarget {
  std::string address;
  uint16_t port = 0;
  std::string resource;  // checked for permission again when a tunnel is resumed
};

struct RelayLimits {
  int per_caller = 64;
  std::chrono::milliseconds connect{10'000};
  std::chrono::milliseconds idle{3'600'000};  // without a byte in either direction
  std::chrono::milliseconds parked{120'000};  // without a client
  std::chrono::milliseconds hand_over{1'000};
  std::chrono::milliseconds closing{5'000};  // for the client's answer to our close frame
  size_t window = 256 << 10;                 // bytes sent and not acknowledged
};

class RelayTunnels {
 public:
  explicit RelayTunnels(Random& random, RelayLimits limits = {})
      : random_(random), limits_(limits) {}

  // A new tunnel for `caller`, a principal.
  std::shared_ptr<Upgrade> Open(const Request& request, const std::string& caller,
                                RelayTarget target);
  // The target of a tunnel that `caller` opened.
  RelayTarget Find(const std::string& sid, const std::string& caller);
  // Takes the tunnel over from its earlier connection. `acked`: bytes that the client has received.
  std::shared_ptr<Upgrade> Resume(const Request& request, const std::string& caller,
                                  const std::string& sid, uint64_t acked);

  // Open tunnels, parked ones included.
  int64_t count() const;

 private:
  friend class RelayTunnel;
  struct State {
    std::map<std::string, std::shared_ptr<RelayTunnel>, std::less<>> by_sid;
    std::map<std::string, int, std::less<>> by_caller;
  };
  // A place among the tunnels of a caller; taken by the constructor of a tunnel, given back by its destructor.
  void TakePlace(const std::string& caller);
  void GivePlace(const std::string& caller);
  void Add(const std::string& sid, std::shared_ptr<RelayTunnel> tunnel);
  void Remove(const std::string& sid, const RelayTunnel* tunnel);
  std::shared_ptr<RelayTunnel> Get(const std::string& sid, const std::string& caller);

  Random& random_;
  const RelayLimits limits_;
  Guarded<State> state_;
};

}  // namespace fireweed::net
