#include "net/client_connection.h"

#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstring>

#include <fmt/format.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#include "base/error.h"

namespace fireweed::net {
namespace {

[[noreturn]] void Fail(std::string message) {
  throw Failure(Code::kUnavailable, std::move(message));
}

// -1 and errno, or 1 when ready, or 0 when the time is up.
int Poll(int fd, short events, std::chrono::milliseconds limit) {
  pollfd entry{fd, events, 0};
  int outcome = -1;
  do {
    outcome = poll(&entry, 1, static_cast<int>(limit.count()));
  } while (outcome < 0 && errno == EINTR);
  return outcome;
}

// The socket, or the errno of why not.
int TryConnect(const addrinfo& address, std::chrono::milliseconds limit, UniqueFd& out) {
  UniqueFd fd(socket(address.ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!fd) return errno;
  if (connect(fd.get(), address.ai_addr, address.ai_addrlen) != 0) {
    if (errno != EINPROGRESS) return errno;
    if (Poll(fd.get(), POLLOUT, limit) <= 0) return ETIMEDOUT;
    int error = 0;
    socklen_t size = sizeof error;
    getsockopt(fd.get(), SOL_SOCKET, SO_ERROR, &error, &size);
    if (error != 0) return error;
  }
  int on = 1;
  setsockopt(fd.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  out = std::move(fd);
  return 0;
}

}  // namespace

std::unique_ptr<ClientConnection> ClientConnection::Open(const std::string& host, uint16_t port,
                                                         Milliseconds connect_limit,
                                                         Milliseconds stall_limit) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  int outcome = getaddrinfo(host.c_str(), std::to_string(port).c_str(), &hints, &found);
  if (outcome != 0) Fail(fmt::format("cannot find {}: {}", host, gai_strerror(outcome)));
  std::unique_ptr<addrinfo, decltype(&freeaddrinfo)> addresses(found, freeaddrinfo);
  int error = ENOENT;
  for (addrinfo* address = found; address != nullptr; address = address->ai_next) {
    UniqueFd fd;
    error = TryConnect(*address, connect_limit, fd);
    if (error == 0) {
      return std::unique_ptr<ClientConnection>(new ClientConnection(std::move(fd), stall_limit));
    }
  }
  Fail(fmt::format("cannot connect to {}:{}: {}", host, port, std::strerror(error)));
}

void ClientConnection::WaitFor(short events) {
  int outcome = Poll(socket_.get(), events, stall_limit_);
  if (outcome == 0) Fail("the server did not answer in time");
  if (outcome < 0) Fail(std::strerror(errno));
}

void ClientConnection::StartTls(ssl_ctx_st* context, const std::string& host) {
  SslPtr ssl(SSL_new(context));
  if (!ssl) Fail("no memory for a TLS connection");
  in6_addr scratch;
  const bool address = inet_pton(AF_INET, host.c_str(), &scratch) == 1 ||
                       inet_pton(AF_INET6, host.c_str(), &scratch) == 1;
  if (address) {
    X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(ssl.get()), host.c_str());
  } else {
    SSL_set1_host(ssl.get(), host.c_str());
    SSL_set_tlsext_host_name(ssl.get(), host.c_str());
  }
  SSL_set_connect_state(ssl.get());
  tls_.emplace(std::move(ssl), socket_.get());
  while (true) {
    TlsStep step = tls_->Handshake();
    if (step.kind == TlsStep::Kind::kDone) return;
    if (step.kind == TlsStep::Kind::kWantRead) {
      WaitFor(POLLIN);
    } else if (step.kind == TlsStep::Kind::kWantWrite) {
      WaitFor(POLLOUT);
    } else {
      Fail(fmt::format("no trusted connection to {}: {}", host, tls_->failure()));
    }
  }
}

void ClientConnection::Write(std::string_view text) {
  while (!text.empty()) {
    if (tls_) {
      TlsStep step = tls_->Write(text);
      if (step.kind == TlsStep::Kind::kDone) text.remove_prefix(step.bytes);
      if (step.kind == TlsStep::Kind::kWantRead) WaitFor(POLLIN);
      if (step.kind == TlsStep::Kind::kWantWrite) WaitFor(POLLOUT);
      if (step.kind == TlsStep::Kind::kFailed || step.kind == TlsStep::Kind::kClosed) {
        Fail("connection lost: " + tls_->failure());
      }
      continue;
    }
    ssize_t sent = send(socket_.get(), text.data(), text.size(), MSG_NOSIGNAL);
    if (sent > 0) {
      text.remove_prefix(static_cast<size_t>(sent));
    } else if (errno == EAGAIN) {
      WaitFor(POLLOUT);
    } else if (errno != EINTR) {
      Fail(fmt::format("connection lost: {}", std::strerror(errno)));
    }
  }
}

size_t ClientConnection::Read(std::span<char> into) {
  while (true) {
    if (tls_) {
      TlsStep step = tls_->Read(into);
      if (step.kind == TlsStep::Kind::kDone) return step.bytes;
      if (step.kind == TlsStep::Kind::kClosed) return 0;
      if (step.kind == TlsStep::Kind::kFailed) Fail("connection lost: " + tls_->failure());
      WaitFor(step.kind == TlsStep::Kind::kWantRead ? POLLIN : POLLOUT);
      continue;
    }
    ssize_t received = recv(socket_.get(), into.data(), into.size(), 0);
    if (received >= 0) return static_cast<size_t>(received);
    if (errno == EAGAIN) {
      WaitFor(POLLIN);
    } else if (errno != EINTR) {
      Fail(fmt::format("connection lost: {}", std::strerror(errno)));
    }
  }
}

std::optional<size_t> ClientConnection::TryRead(std::span<char> into) {
  if (tls_) {
    TlsStep step = tls_->Read(into);
    if (step.kind == TlsStep::Kind::kDone) return step.bytes;
    if (step.kind == TlsStep::Kind::kClosed) return std::nullopt;
    if (step.kind == TlsStep::Kind::kFailed) Fail("connection lost: " + tls_->failure());
    return 0;
  }
  ssize_t received = recv(socket_.get(), into.data(), into.size(), 0);
  if (received > 0) return static_cast<size_t>(received);
  if (received == 0) return std::nullopt;
  if (errno != EAGAIN && errno != EINTR) {
    Fail(fmt::format("connection lost: {}", std::strerror(errno)));
  }
  return 0;
}

size_t ClientConnection::TryWrite(std::string_view text) {
  if (tls_) {
    TlsStep step = tls_->Write(text);
    if (step.kind == TlsStep::Kind::kDone) return step.bytes;
    if (step.kind == TlsStep::Kind::kFailed || step.kind == TlsStep::Kind::kClosed) {
      Fail("connection lost: " + tls_->failure());
    }
    return 0;
  }
  ssize_t sent = send(socket_.get(), text.data(), text.size(), MSG_NOSIGNAL);
  if (sent < 0 && errno != EAGAIN && errno != EINTR) {
    Fail(fmt::format("connection lost: {}", std::strerror(errno)));
  }
  return sent > 0 ? static_cast<size_t>(sent) : 0;
}

bool ClientConnection::HasNews() const {
  return Poll(socket_.get(), POLLIN, std::chrono::milliseconds(0)) != 0;
}

}  // namespace fireweed::net
