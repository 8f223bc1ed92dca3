// What for: calls over HTTP/1.1: our own API from the CLI and from instances, and Google's from
//   drivers.
// Threads: any number at once; each call uses a connection of its own, kept for the next one.
// May block: yes, until the response is there or nothing has moved for the stall limit.
// Owns: connections. Borrows the request's source and sink for the call.
// A failure: Result with kUnavailable when no whole response came, or the Failure that a sink
//   threw; any status is a success here.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "net/http_message.h"

namespace fireweed::net {

class ClientConnection;  // net/client_connection.h

struct ClientRequest {
  std::string method = "GET";
  std::string url;
  std::vector<ResponseHeader> headers;
  std::string body;
  ByteSource* source = nullptr;  // instead of `body`; chunked when its size is not known
  // Takes the body of a 2xx response as it arrives; other bodies, and all without a sink, are
  // collected.
  std::function<void(std::span<const std::byte>)> sink;
};

struct ClientResponse {
  int status = 0;
  std::vector<ResponseHeader> headers;
  std::string body;

  std::optional<std::string_view> Header(std::string_view name) const;
};

class HttpClient {
 public:
  struct Options {
    std::string ca_file;  // PEM; empty: the system's authorities, read with the first https
    // Take whatever certificate comes: only for what is then checked by a fingerprint.
    bool trust_anybody = false;
    std::string tls_name;  // whom the certificate must name; empty: the host of the URL
    std::string proxy;     // "http://user:secret@host:port"; empty: none
    std::chrono::milliseconds connect_limit{10'000};
    std::chrono::milliseconds stall_limit{120'000};  // without a byte moving
    int64_t max_body_bytes = int64_t{256} << 20;     // of a collected body
  };
  // Throws Failure when the CA file cannot be read or the proxy is no URL.
  explicit HttpClient(Options options);
  ~HttpClient();

  Result<ClientResponse> Send(const ClientRequest& request);
  // Sends a request that asks for another protocol, on a new connection. `answer` is what came back; with
  // status 101 the connection is returned; null otherwise.
  Result<std::unique_ptr<ClientConnection>> Switch(const ClientRequest& request,
                                                   ClientResponse& answer);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace fireweed::net
