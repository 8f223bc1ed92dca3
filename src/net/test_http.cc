#include "net/test_http.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <gtest/gtest.h>

#include "base/bytes.h"

namespace fireweed::net {
namespace {

int StatusOf(Code code) {
  switch (code) {
    case Code::kInvalid: return 400;
    case Code::kUnauthenticated: return 401;
    case Code::kDenied: return 403;
    case Code::kNotFound: return 404;
    case Code::kTooLarge: return 413;
    default: return 500;
  }
}

}  // namespace

Response TextResponse(std::string body, int status) {
  Response response;
  response.status = status;
  response.Add("Content-Type", "text/plain");
  response.body = std::move(body);
  return response;
}

std::optional<Response> ScriptedDispatcher::TryInline(const Request& request) {
  return try_inline ? try_inline(request) : std::nullopt;
}
std::shared_ptr<Forwarding> ScriptedDispatcher::TryForward(const Request& request) {
  return try_forward ? try_forward(request) : nullptr;
}

BodyPlan ScriptedDispatcher::PlanBody(const Request& request) {
  return plan_body ? plan_body(request) : BodyPlan(TakeWhole{});
}
Answer ScriptedDispatcher::Handle(const Request& request) {
  return handle ? handle(request) : Answer(TextResponse("nothing here", 404));
}
std::unique_ptr<BodySink> ScriptedDispatcher::OpenBody(const Request& request) {
  return open_body ? open_body(request) : Dispatcher::OpenBody(request);
}
std::unique_ptr<BodySink> ScriptedDispatcher::TryOpenInline(const Request& request) {
  return open_inline ? open_inline(request) : nullptr;
}
Response ScriptedDispatcher::RenderError(const Request&, const Error& error) {
  return TextResponse(std::string(CodeName(error.code)) + ": " + error.message,
                      StatusOf(error.code));
}

RawClient::RawClient(uint16_t port) : socket_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  timeval limit{10, 0};
  setsockopt(socket_.get(), SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  EXPECT_EQ(connect(socket_.get(), reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
}

void RawClient::Send(std::string_view bytes) {
  while (!bytes.empty()) {
    ssize_t sent = send(socket_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent <= 0) return;  // the server may have hung up; what it said shows in Receive
    bytes.remove_prefix(static_cast<size_t>(sent));
  }
}

bool RawClient::Fill() {
  char bytes[64 << 10];
  ssize_t count = recv(socket_.get(), bytes, sizeof bytes, 0);
  if (count > 0) buffer_.append(bytes, static_cast<size_t>(count));
  return count > 0;
}

std::string RawClient::ReceiveAll() {
  while (Fill()) {
  }
  return std::exchange(buffer_, "");
}

bool RawClient::AtEnd() {
  return buffer_.empty() && recv(socket_.get(), buffer_.data(), 0, 0) == 0 && !Fill();
}

void RawClient::ShutdownSend() { shutdown(socket_.get(), SHUT_WR); }

ClientView RawClient::Receive(bool head) {
  ClientView view;
  size_t end = 0;
  while ((end = buffer_.find("\r\n\r\n")) == std::string::npos) {
    if (!Fill()) return view;
  }
  std::string text = buffer_.substr(0, end + 2);
  buffer_.erase(0, end + 4);
  size_t line_end = text.find("\r\n");
  view.status = std::atoi(text.substr(9, 3).c_str());
  for (size_t at = line_end + 2; at < text.size(); at = line_end + 2) {
    line_end = text.find("\r\n", at);
    std::string line = text.substr(at, line_end - at);
    size_t colon = line.find(':');
    view.headers[ToLower(line.substr(0, colon))] = std::string(Trim(line.substr(colon + 1)));
  }
  return ReceiveBody(std::move(view), head);
}

ClientView RawClient::ReceiveBody(ClientView view, bool head) {
  if (head || view.status < 200 || view.status == 204 || view.status == 304) {
    view.complete = true;
  } else if (view.headers.contains("content-length")) {
    size_t size = std::stoul(view.headers["content-length"]);
    while (buffer_.size() < size && Fill()) {
    }
    view.complete = buffer_.size() >= size;
    view.body = buffer_.substr(0, size);
    buffer_.erase(0, size);
  } else if (view.headers["transfer-encoding"] == "chunked") {
    while (!view.complete) {
      size_t line = 0;
      while ((line = buffer_.find("\r\n")) == std::string::npos) {
        if (!Fill()) return view;
      }
      size_t size = std::stoul(buffer_.substr(0, line), nullptr, 16);
      while (buffer_.size() < line + 2 + size + 2) {
        if (!Fill()) return view;
      }
      view.body += buffer_.substr(line + 2, size);
      buffer_.erase(0, line + 2 + size + 2);
      view.complete = size == 0;
    }
  } else {
    view.body = ReceiveAll();
    view.complete = true;
  }
  return view;
}

TestServer::TestServer(HttpServer::Options options)
    : server_(std::make_unique<HttpServer>(options, clock_, log_)) {
  ListenerConfig config;
  config.dispatcher = &dispatcher;
  config.socket = ListenTcp("127.0.0.1", 0);
  port_ = LocalPort(config.socket.get());
  listener_ = server_->Open(std::move(config));
}

uint16_t TestServer::Open(ListenerConfig config) {
  config.socket = ListenTcp("127.0.0.1", 0);
  if (config.dispatcher == nullptr) config.dispatcher = &dispatcher;
  uint16_t port = LocalPort(config.socket.get());
  server_->Open(std::move(config));
  return port;
}

}  // namespace fireweed::net
