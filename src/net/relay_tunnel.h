// One tunnel of relay_tunnels.h on one WebSocket connection. When the connection breaks it keeps the TCP connection and
// the bytes that the client has not acknowledged until another connection takes them over, or the time is up.
// Threading: the session's I/O thread; HandOver from any other.
// Blocking: HandOver, up to the limit.
// Ownership: the TCP connection, in `RelayState` between two WebSocket connections.
// Errors: the client sees a close frame with a code.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "base/unique_fd.h"
#include "net/relay_tunnels.h"

namespace fireweed::net {

// State that passes from one connection of a tunnel to the next.
struct RelayState {
  UniqueFd upstream;       // none before the first connection
  std::string unacked;     // sent to the client, or about to be; not acknowledged
  uint64_t confirmed = 0;  // bytes that the client has acknowledged: `unacked` follows them
  uint64_t received = 0;   // bytes that the client sent and the instance took
};

class RelayTunnel final : public Upgrade, public std::enable_shared_from_this<RelayTunnel> {
 public:
  RelayTunnel(RelayTunnels& all, std::string head_lines, std::string caller, std::string sid,
              RelayTarget target, RelayState state);
  ~RelayTunnel() override;

  std::string HeadLines() const override { return head_lines_; }
  Task<void> Run(IoLoop& loop, Transport& client, std::string early) override;
  void Stop() override;

  // Ends this connection's part. Nothing where the tunnel has ended, or is busy for longer than the limit.
  std::optional<RelayState> HandOver();

  const std::string& caller() const { return caller_; }
  const RelayTarget& target() const { return target_; }

 private:
  class Connection;        // while a client is connected
  struct HandOverRequest;  // between two threads

  Task<bool> Reach(IoLoop& loop, Transport& client);
  Task<void> Park(IoLoop& loop);
  void BeginHandOver(std::shared_ptr<HandOverRequest> request);
  bool AnswerHandOver();

  RelayTunnels& all_;
  const std::string head_lines_, caller_, sid_;
  const RelayTarget target_;
  const bool resumed_;

  // The rest on the I/O thread only, but for `loop_`, which is set before HandOver can be called.
  IoLoop* loop_ = nullptr;
  RelayState state_;
  std::unique_ptr<Transport> upstream_;
  Connection* connection_ = nullptr;
  Event* parked_ = nullptr;
  std::shared_ptr<HandOverRequest> hand_over_;
  bool stopping_ = false;
  bool ended_ = false;
};

}  // namespace fireweed::net
