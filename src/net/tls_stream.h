// TLS over a non-blocking socket: each step does what it can and says what it waits for. No event
// loop inside, so the server's coroutines and the blocking client share it. Used by one thread at a
// time; owns the SSL, not the socket.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "net/certificates.h"

namespace fireweed::net {

struct TlsStep {
  enum class Kind {
    kDone,       // `bytes` moved, or the handshake is complete
    kWantRead,   // try again when the socket is readable
    kWantWrite,  // ... or writable
    kClosed,     // the peer ended the stream in order
    kFailed,     // broken; `TlsStream::failure` says why
  };
  Kind kind = Kind::kFailed;
  size_t bytes = 0;
};

class TlsStream {
 public:
  // `ssl` already knows whether it is client or server. `fd` must outlive this. `early`: what was
  // read from the socket before TLS began.
  TlsStream(SslPtr ssl, int fd, std::string early = {});

  TlsStep Handshake();
  TlsStep Read(std::span<char> into);
  // After a want, the same text must be handed in again.
  TlsStep Write(std::string_view text);
  // Says goodbye once; does not wait for the peer's.
  void Shutdown();

  const std::string& failure() const { return failure_; }
  bool resumed() const;
  // The name the client asked for; empty without SNI.
  std::string_view server_name() const;
  ssl_st* ssl() const { return ssl_.get(); }

 private:
  TlsStep Judge(int outcome);

  SslPtr ssl_;
  std::string failure_;
  bool broken_ = false;
};

}  // namespace fireweed::net
