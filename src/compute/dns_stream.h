// DNS messages over a TCP connection: each behind its length in two bytes. Never blocks; the socket is non-blocking.
// One thread. Bounded: half a message in, kMostQueued out; a peer that breaks the rules or does not read is dropped.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/unique_fd.h"

namespace fireweed::compute {

class DnsStream {
 public:
  static constexpr size_t kMostQueued = 256 << 10;

  explicit DnsStream(UniqueFd socket) : socket_(std::move(socket)) {}

  int fd() const { return socket_.get(); }
  // What poll should wait for.
  short events() const;
  // Writes and reads what is possible after poll. False: the peer is gone.
  bool Turn(short revents);
  // The next whole message that came; an empty one is no message.
  std::optional<std::string> Take();
  // False when too much waits already: drop it.
  bool Queue(std::string_view message);
  bool has_output() const { return !out_.empty(); }
  bool ended() const { return ended_; }

 private:
  bool Write();
  bool Read();

  UniqueFd socket_;
  std::string in_, out_;
  bool ended_ = false;  // the peer sends no more; it may still read
};

}  // namespace fireweed::compute
