// A client's connection, plain or TLS, for blocking use. One thread at a time. Every call gives up
// when nothing moves for the stall limit. A failure is a thrown Failure of kUnavailable, after
// which only closing is left.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/unique_fd.h"
#include "net/tls_stream.h"

struct ssl_ctx_st;

namespace fireweed::net {

class ClientConnection {
 public:
  using Milliseconds = std::chrono::milliseconds;

  // Tries every address of `host`; `connect_limit` holds for each.
  static std::unique_ptr<ClientConnection> Open(const std::string& host, uint16_t port,
                                                Milliseconds connect_limit,
                                                Milliseconds stall_limit);

  // Proves that the server is `host` by the authorities in `context`.
  void StartTls(ssl_ctx_st* context, const std::string& host);
  void Write(std::string_view text);
  // 0 at the end of the stream.
  size_t Read(std::span<char> into);
  // Without waiting; the count, 0 where nothing can be moved now. At the end of the stream TryRead returns nothing.
  std::optional<size_t> TryRead(std::span<char> into);
  // After a 0 the same text must be handed in again.
  size_t TryWrite(std::string_view text);
  int fd() const { return socket_.get(); }
  // Something to read, or an end: an idle connection in this state must not be used again.
  bool HasNews() const;
  bool resumed() const { return tls_ && tls_->resumed(); }
  TlsStream* tls() { return tls_ ? &*tls_ : nullptr; }

 private:
  ClientConnection(UniqueFd socket, Milliseconds stall_limit)
      : socket_(std::move(socket)), stall_limit_(stall_limit) {}
  void WaitFor(short events);

  UniqueFd socket_;
  Milliseconds stall_limit_;
  std::optional<TlsStream> tls_;
};

}  // namespace fireweed::net
