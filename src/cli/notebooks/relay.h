// What for: a local port whose connections end in an instance: `datalab connect`. Every connection asks anew where to go, so
// an instance that was restarted meanwhile is found again.
// Threads: Run is one loop and returns only by a Failure. May block: yes, in poll; in connecting, for seconds at most.
// Owns: the listening socket and all connections. A failure of one connection ends that one.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/unique_fd.h"

namespace fireweed::cli {

class Relay {
 public:
  // Where a connection goes: an IPv4 address and port; absent: nowhere now.
  struct Target {
    std::string address;
    uint16_t port = 0;
  };
  using Find = std::function<std::optional<Target>()>;
  // Opens the other end of a connection; none where that is not possible now.
  using Dial = std::function<UniqueFd()>;

  // Listens on 127.0.0.1; port 0 picks a free one. Throws Failure when the port is taken.
  Relay(uint16_t port, Find find);
  Relay(uint16_t port, Dial dial);

  // None when the connection is refused.
  static UniqueFd Connect(const Target& target);

  uint16_t port() const;
  [[noreturn]] void Run();
  // One turn of the loop: waits up to `timeout_ms` (-1: for ever) and moves what can be moved.
  void Turn(int timeout_ms);

 private:
  // Bytes on their way from one socket to the other.
  struct Direction {
    std::string held{};
    bool ended = false;      // nothing more will come
    bool passed_on = false;  // and the other side knows
  };
  struct Pair {
    UniqueFd near, far;
    Direction out, back;
    bool broken = false;
  };

  void Accept();
  static short WantedOf(const Direction& in, const Direction& out);
  static bool Move(int from, int to, Direction& way);

  const UniqueFd listener_;
  const Dial dial_;
  std::vector<Pair> pairs_;
};

}  // namespace fireweed::cli
