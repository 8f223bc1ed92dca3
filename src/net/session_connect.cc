// How a session serves as a proxy: CONNECT that is ended here or tunnelled on, and requests in
// absolute form.
#include <boost/asio/awaitable.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "base/bytes.h"
#include "net/framing.h"
#include "net/http_session.h"
#include "net/request_target.h"
#include "net/tunnel.h"

namespace fireweed::net {
namespace {

constexpr uint16_t kPlainPort = 80;
constexpr std::chrono::milliseconds kConnectLimit{15'000};
constexpr size_t kMaxProxyAnswer = 16 << 10;

// Asks the proxy at the other end of `proxy` for a tunnel to `target`. False when it refuses.
Task<bool> AskProxy(IoLoop& loop, Transport& proxy, std::string target, std::string authorization) {
  std::string ask = "CONNECT " + target + " HTTP/1.1\r\nHost: " + target + "\r\n";
  if (!authorization.empty()) ask += "Proxy-Authorization: " + authorization + "\r\n";
  ask += "\r\n";
  bool sent = co_await proxy.Write(ask, kConnectLimit);
  if (!sent) co_return false;
  std::string answer;
  Tick deadline = loop.After(kConnectLimit);
  // One byte at a time: what follows the answer belongs to the tunnel.
  while (!FindHeadEnd(answer, 0) && answer.size() < kMaxProxyAnswer) {
    char byte = 0;
    std::span<char> into(&byte, 1);
    ReadOutcome outcome = co_await proxy.Read(into, deadline);
    if (outcome.kind != ReadOutcome::Kind::kBytes) co_return false;
    answer.push_back(byte);
  }
  co_return answer.starts_with("HTTP/1.1 2") || answer.starts_with("HTTP/1.0 2");
}

}  // namespace

Task<bool> HttpSession::RefuseProxy(Error error) {
  bool ask_again = error.code == Code::kUnauthenticated;
  response_ = Guarded([&]() -> Response { throw Failure(error); });
  if (ask_again) {
    response_.status = 407;
    response_.Set("Proxy-Authenticate", "Basic realm=\"fireweed\"");
  }
  server_.traffic.refused.fetch_add(1, std::memory_order_relaxed);
  bool on = co_await SendResponse();
  co_return on;
}

Task<bool> HttpSession::ServeConnect() {
  std::optional<Authority> target = ParseAuthority(request_.target);
  bool on = false;
  if (!target || !target->port) {
    on = co_await Refuse(400, "CONNECT needs host:port");
    co_return on;
  }
  if (listener_.connect == nullptr || !connect_name_.empty() || has_body()) {
    on = co_await Refuse(405, "this is not a proxy");
    co_return on;
  }
  std::string host = ToLower(target->host);
  ConnectVerdict verdict = listener_.connect->Decide(request_, host, *target->port);
  if (Error* error = std::get_if<Error>(&verdict)) {
    on = co_await RefuseProxy(*error);
    co_return on;
  }
  if (Tunnel* tunnel = std::get_if<Tunnel>(&verdict)) {
    on = co_await ServeTunnel(*tunnel);
    co_return on;
  }
  bool secure = *target->port != kPlainPort;
  if (secure && (!listener_.certificates || transport_.tls())) {
    on = co_await Refuse(405, "this listener cannot end TLS");
    co_return on;
  }
  std::string_view established = "HTTP/1.1 200 Connection established\r\n\r\n";
  on = co_await transport_.Write(established, server_.limits.body_timeout);
  if (!on) co_return false;
  FinishRequest();
  connect_name_ = host;
  connect_principal_ = std::get<Intercept>(verdict).principal;
  request_.proxy_principal = connect_principal_;
  first_ = true;
  if (secure) on = co_await StartTls(host);
  // FinishRequest runs once more in Run; there is nothing left for it to do.
  tail_ = begin_;
  co_return on;
}

// The other end of a tunnel, or why there is none.
Task<Result<std::unique_ptr<Transport>>> HttpSession::OpenTunnel(const Tunnel& tunnel) {
  std::vector<std::string> addresses;
  // Names that only the upstream proxy can resolve take seconds to fail here; the local user may go
  // anywhere anyway.
  const bool check = !tunnel.through || listener_.origin.kind != Origin::Kind::kLocal;
  if (check) addresses = co_await Resolve(loop_, tunnel.host);
  for (const std::string& address : addresses) {
    if (listener_.connect->MayReach(listener_.origin, address)) continue;
    co_return Error{Code::kDenied, "", "this address may not be reached from here"};
  }
  uint16_t port = tunnel.port;
  if (tunnel.through) {
    std::optional<Authority> proxy = ParseAuthority(tunnel.through->address);
    std::string proxy_host = proxy ? std::string(proxy->host) : std::string();
    port = proxy && proxy->port ? *proxy->port : 0;
    addresses = co_await Resolve(loop_, proxy_host);
  }
  std::unique_ptr<Transport> upstream;
  Tick deadline = loop_.After(kConnectLimit);
  for (const std::string& address : addresses) {
    if (upstream || stopping_) break;
    upstream = co_await Connect(loop_, address, port, deadline);
  }
  if (upstream && tunnel.through) {
    std::string target = tunnel.host + ":" + std::to_string(tunnel.port);
    std::string authorization = tunnel.through->authorization;
    bool accepted = co_await AskProxy(loop_, *upstream, target, authorization);
    if (!accepted) upstream.reset();
  }
  // Not 5xx: clients of the cloud retry those for half a minute.
  if (!upstream) co_return Error{Code::kNotFound, "", "cannot connect to " + tunnel.host};
  co_return upstream;
}

Task<bool> HttpSession::ServeTunnel(const Tunnel& tunnel) {
  Result<std::unique_ptr<Transport>> upstream = co_await OpenTunnel(tunnel);
  if (!upstream) {
    bool on = co_await RefuseProxy(upstream.error());
    co_return on;
  }
  if (stopping_) co_return false;
  std::string_view established = "HTTP/1.1 200 Connection established\r\n\r\n";
  bool told = co_await transport_.Write(established, server_.limits.body_timeout);
  if (!told) co_return false;
  upstream_ = upstream->get();
  std::string_view early(in_.data() + tail_, end_ - tail_);
  co_await Relay(loop_, transport_, *upstream_, early, server_.limits.tunnel_idle_timeout);
  upstream_ = nullptr;
  body_done_ = true;  // nothing to linger for
  co_return false;
}

Task<bool> HttpSession::ServeAbsolute() {
  bool on = false;
  std::string principal;
  if (connect_name_.empty()) {
    std::optional<Authority> target = ParseAuthority(request_.authority);
    uint16_t port = target ? target->port.value_or(kPlainPort) : kPlainPort;
    ConnectVerdict verdict = listener_.connect->Decide(request_, host_, port);
    Error* error = std::get_if<Error>(&verdict);
    if (error != nullptr && error->code == Code::kUnauthenticated) {
      on = co_await RefuseProxy(*error);
      co_return on;
    }
    if (!std::holds_alternative<Intercept>(verdict)) {
      on = co_await Refuse(
          405, "plain http is not passed on: use CONNECT, or exclude this host in no_proxy");
      co_return on;
    }
    principal = std::get<Intercept>(verdict).principal;
    request_.proxy_principal = principal;
  }
  on = co_await Dispatch();
  co_return on;
}

}  // namespace fireweed::net
