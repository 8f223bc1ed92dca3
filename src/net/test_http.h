// For tests: a server with one dispatcher made of functions, and a client that speaks raw bytes.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/log.h"
#include "net/http_server.h"

namespace fireweed::net {

// Every hook may be left empty. Errors are plain text "CODE: message" with a status to match.
class ScriptedDispatcher final : public Dispatcher {
 public:
  std::function<std::optional<Response>(const Request&)> try_inline;
  std::function<BodyPlan(const Request&)> plan_body;
  std::function<Answer(const Request&)> handle;
  std::function<std::unique_ptr<BodySink>(const Request&)> open_body, open_inline;
  std::function<std::shared_ptr<Forwarding>(const Request&)> try_forward;

  std::optional<Response> TryInline(const Request& request) override;
  std::shared_ptr<Forwarding> TryForward(const Request& request) override;
  BodyPlan PlanBody(const Request& request) override;
  Answer Handle(const Request& request) override;
  std::unique_ptr<BodySink> OpenBody(const Request& request) override;
  std::unique_ptr<BodySink> TryOpenInline(const Request& request) override;
  Response RenderError(const Request& request, const Error& error) override;
};

Response TextResponse(std::string body, int status = 200);

// A response as a client sees it.
struct ClientView {
  int status = 0;
  std::map<std::string, std::string> headers;  // lower-case names
  std::string body;
  bool complete = false;  // all of the stated body arrived
};

// Blocking, with a limit of ten seconds on every read: a test fails instead of hanging.
class RawClient {
 public:
  explicit RawClient(uint16_t port);
  void Send(std::string_view bytes);
  // One response; `head`: it answers HEAD.
  ClientView Receive(bool head = false);
  // Everything until the server closes.
  std::string ReceiveAll();
  // True when the server has ended the connection and nothing is left to read.
  bool AtEnd();
  void ShutdownSend();
  void Close() { socket_.reset(); }
  int fd() const { return socket_.get(); }

 private:
  bool Fill();
  ClientView ReceiveBody(ClientView view, bool head);

  UniqueFd socket_;
  std::string buffer_;
};

class TestServer {
 public:
  explicit TestServer(HttpServer::Options options = {});

  ScriptedDispatcher dispatcher;
  HttpServer& server() { return *server_; }
  uint16_t port() const { return port_; }
  int listener() const { return listener_; }
  // Opens another listener; the socket is made here. Returns its port.
  uint16_t Open(ListenerConfig config);

 private:
  SystemClock clock_;
  NullLogger log_;
  uint16_t port_ = 0;
  int listener_ = 0;
  std::unique_ptr<HttpServer> server_;
};

}  // namespace fireweed::net
