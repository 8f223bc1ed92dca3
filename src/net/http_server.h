// What for: HTTP/1.1 on plain and TLS listeners, as host of the APIs and as the CONNECT proxy.
// Threads: `io_threads` loops, each accepting on a duplicate of every listener's socket, and a
//   worker pool for handlers. Open, Close, Drain and the getters may be called from any thread but
//   these.
// May block: the constructor no; Close until the listener's sessions have ended, whose handlers run
//   to their end while all their I/O fails; Drain until sessions are done or the limit has passed;
//   the destructor closes all listeners.
// Owns: listeners' sockets and sessions. Borrows dispatchers: each must outlive its listener (Close
//   waits until no session of that listener runs any more).
// A failure: a bad client costs its connection, nothing else.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "base/clock.h"
#include "base/log.h"
#include "base/unique_fd.h"
#include "net/http_message.h"

namespace fireweed::net {

class CertificateSource;  // net/certificates.h

struct HttpLimits {
  int64_t max_header_bytes = 64 << 10;
  int max_connections = 4096;  // over all listeners; further ones are answered 503 and closed
  std::chrono::milliseconds header_timeout{
      30'000};  // from the first byte of a head, or of the connection
  std::chrono::milliseconds idle_timeout{120'000};  // between requests
  std::chrono::milliseconds body_timeout{
      60'000};  // without any progress of a body in either direction
  std::chrono::milliseconds tunnel_idle_timeout{900'000};  // without a byte in either direction
  int64_t stream_buffer_bytes = 256 << 10;                 // per streaming transfer
};

// What to do with CONNECT (decisions 1 and 9).
// End TLS here and serve the listener's dispatcher.
struct Intercept {
  std::string principal;  // of requests without a credential; empty: they are anonymous
};
// The proxy that was set before ours.
struct Upstream {
  std::string address;        // "host:port"
  std::string authorization;  // value of Proxy-Authorization; empty: none
};
struct Tunnel {
  std::string host;
  uint16_t port = 0;
  std::optional<Upstream> through;
};
using ConnectVerdict = std::variant<Intercept, Tunnel, Error>;

class ConnectPolicy {
 public:
  virtual ~ConnectPolicy() = default;
  // I/O thread; must not block. `request.target` is the authority, "host:port".
  virtual ConnectVerdict Decide(const Request& request, std::string_view host, uint16_t port) = 0;
  // Called with the resolved address of a tunnel before it is connected: an instance must not reach
  // loopback, link-local, the host or another project through a name. I/O thread.
  virtual bool MayReach(const Origin& origin, std::string_view address) = 0;
};

struct ListenerConfig {
  UniqueFd socket;  // bound and listening
  Dispatcher* dispatcher = nullptr;
  std::shared_ptr<CertificateSource> certificates;  // TLS when set; also used to intercept
  bool tls = false;
  ConnectPolicy* connect = nullptr;  // CONNECT is refused (405) when null
  Origin origin;
};

class HttpServer {
 public:
  struct Options {
    int io_threads = 1;
    int pool_threads = 8;
    HttpLimits limits;
  };
  HttpServer(Options options, const Clock& clock, Logger& log);
  ~HttpServer();
  HttpServer(const HttpServer&) = delete;

  int Open(ListenerConfig config);  // the listener's number
  void Close(int listener);
  // Stops accepting, lets running requests finish, closes idle connections. False when `limit`
  // passed first.
  bool Drain(std::chrono::milliseconds limit);

  struct Counters {
    int64_t connections, requests, inline_requests, bytes_in, bytes_out,
        refused;   // since the start
    int64_t open;  // connections now
  };
  Counters counters() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// A listening TCP socket; port 0 picks a free one. Throws Failure with a message that names what
// holds the port.
UniqueFd ListenTcp(const std::string& host, uint16_t port);
uint16_t LocalPort(int fd);
// A listening socket at a path, for peers on this machine only; what stood there is replaced. Its mode is 0600 until the
// caller says otherwise. Throws Failure.
UniqueFd ListenUnix(const std::string& path);

}  // namespace fireweed::net
