// What for: calls of our own API, by the same method tables that the server routes by.
// Threads: any number at once. May block: yes, on the network.
// Owns: its connections and its access token, which it fetches with the owner's refresh token at the
//   first call and again when a call is answered 401.
// A failure: Failure with the code and message that the server answered with; kUnavailable when no
//   daemon answers.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "api/method.h"
#include "client/endpoint.h"
#include "describe/json_codec.h"

namespace fireweed {

namespace net {
class ClientConnection;
class HttpClient;
struct ClientRequest;
struct ClientResponse;
}  // namespace net

class RestClient {
 public:
  RestClient(const Endpoint& endpoint, AuthorizedUser owner);
  ~RestClient();

  // `target`: path and query. The body of a 2xx response; anything else throws. `host`: which Google
  // API is meant, for paths that several have.
  std::string Send(std::string_view verb, const std::string& target, const std::string& body,
                   std::string_view host = {});

  template <class Req, class Res>
  Res Call(const api::Method<Req, Res>& method, const Req& request) {
    std::string body;
    std::string target = Target(method.entry(), &request, body);
    std::string reply = Send(VerbName(method.verb), target, body, HostOf(method.service));
    if constexpr (std::is_same_v<Res, api::NoContent>) {
      return {};
    } else {
      return DecodeJson<Res>(reply);
    }
  }

  // Path and query of a call, from the kPath and kQuery fields; the kBody field becomes `body`.
  static std::string Target(const api::MethodEntry& method, const void* request, std::string& body);

  // Any request, streams included, with `url` being path and query: whatever the server answers. A
  // request without a source is sent once more with a new token when it is answered 401. Throws
  // Failure(kUnavailable) when no whole answer came.
  net::ClientResponse Exchange(net::ClientRequest request);

  // A request that asks for another protocol: the connection behind a 101 answer. Any other answer throws.
  std::unique_ptr<net::ClientConnection> Switch(net::ClientRequest request);

  // Without a token: what is open to everybody.
  std::string SendUnsigned(std::string_view verb, const std::string& target);

  std::string AccessToken();

 private:
  // A name of the service, for paths that several have; our own service has none and needs none.
  static std::string_view HostOf(const api::Service& service) {
    return service.hosts.empty() ? std::string_view() : service.hosts.front();
  }
  std::string FetchToken();
  // Unless another thread has fetched a newer one meanwhile.
  void ForgetToken(const std::string& token);

  const std::string base_url_;
  const AuthorizedUser owner_;
  std::mutex mu_;
  std::string token_;  // guarded by mu_
  const std::unique_ptr<net::HttpClient> http_;
};

}  // namespace fireweed
