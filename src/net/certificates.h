// What for: TLS identities for the server's listeners and for intercepted CONNECTs.
// Threads: NewServer is called on I/O threads, any number at once; it does not block, and takes a
//   fraction of a millisecond when a certificate has to be made.
// Owns: the returned SSL is the caller's, and must not outlive the source.
#pragma once

#include <memory>
#include <string_view>

struct ssl_st;
extern "C" void SSL_free(struct ssl_st*);

namespace fireweed::net {

struct SslFree {
  void operator()(ssl_st* ssl) const { SSL_free(ssl); }
};
using SslPtr = std::unique_ptr<ssl_st, SslFree>;

class CertificateSource {
 public:
  virtual ~CertificateSource() = default;
  // The server's side of one TLS connection. The certificate is chosen by the name that the client
  // sends (SNI), else by `name` (what CONNECT asked for), else it is the default one for local
  // names and addresses. A name outside the allow-list fails the handshake. Null when the system is
  // out of memory.
  virtual SslPtr NewServer(std::string_view name) = 0;
};

}  // namespace fireweed::net
