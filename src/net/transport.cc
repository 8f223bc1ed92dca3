#include "net/transport.h"

#include <sys/sendfile.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <optional>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "net/tls_stream.h"

namespace fireweed::net {

namespace asio = boost::asio;
using asio::ip::tcp;

namespace {

constexpr auto kToken = asio::as_tuple(asio::use_awaitable);
// One call of sendfile at most: other sessions of the loop get their turn in between.
constexpr int64_t kSendFilePiece = 1 << 20;

std::string PeerAddress(const tcp::socket& socket) {
  boost::system::error_code error;
  tcp::endpoint peer = socket.remote_endpoint(error);
  if (!error && peer.data()->sa_family == AF_UNIX) return "";
  return error ? std::string() : peer.address().to_string();
}

int FamilyOf(int fd) {
  int family = AF_INET;
  socklen_t size = sizeof family;
  getsockopt(fd, SOL_SOCKET, SO_DOMAIN, &family, &size);
  return family;
}

}  // namespace

struct Transport::State {
  explicit State(IoLoop& loop) : socket(loop.context()) {}
  tcp::socket socket;
  std::optional<TlsStream> tls;
};

Transport::Transport(IoLoop& loop, UniqueFd socket)
    : Deadline(loop), loop_(loop), state_(std::make_unique<State>(loop)) {
  boost::system::error_code ignored;
  int family = FamilyOf(socket.get());
  state_->socket.assign(family == AF_INET6 ? tcp::v6() : tcp::v4(), socket.release(), ignored);
  state_->socket.native_non_blocking(true, ignored);
  if (family == AF_UNIX) return;  // has neither an address to show nor anything to delay
  state_->socket.set_option(tcp::no_delay(true), ignored);
  peer_ = PeerAddress(state_->socket);
}

Transport::~Transport() = default;

bool Transport::tls() const { return state_->tls.has_value(); }
int Transport::fd() const { return state_->socket.native_handle(); }
std::string_view Transport::server_name() const {
  return tls() ? state_->tls->server_name() : std::string_view();
}

std::string_view Transport::tls_failure() const {
  return tls() ? std::string_view(state_->tls->failure()) : std::string_view();
}

void Transport::Expire() {
  timed_out_ = true;
  boost::system::error_code ignored;
  state_->socket.cancel(ignored);
}

void Transport::Cancel() {
  cancelled_ = true;
  boost::system::error_code ignored;
  state_->socket.cancel(ignored);
}

Task<bool> Transport::WaitReadable(Tick deadline) {
  if (cancelled_) co_return false;
  at = deadline;
  auto [error] = co_await state_->socket.async_wait(tcp::socket::wait_read, kToken);
  at = kNever;
  co_return !error && !cancelled_;
}

Task<bool> Transport::WaitWritable(Tick deadline) {
  if (cancelled_) co_return false;
  at = deadline;
  auto [error] = co_await state_->socket.async_wait(tcp::socket::wait_write, kToken);
  at = kNever;
  co_return !error && !cancelled_;
}

Task<bool> Transport::Handshake(SslPtr ssl, std::string early, Tick deadline) {
  state_->tls.emplace(std::move(ssl), fd(), std::move(early));
  while (true) {
    TlsStep step = state_->tls->Handshake();
    bool ready = false;
    if (step.kind == TlsStep::Kind::kWantRead) {
      ready = co_await WaitReadable(deadline);
    } else if (step.kind == TlsStep::Kind::kWantWrite) {
      ready = co_await WaitWritable(deadline);
    } else {
      co_return step.kind == TlsStep::Kind::kDone;
    }
    if (!ready) co_return false;
  }
}

ReadOutcome Transport::Count(ReadOutcome outcome) {
  if (bytes_in != nullptr && outcome.bytes > 0) {
    bytes_in->fetch_add(static_cast<int64_t>(outcome.bytes), std::memory_order_relaxed);
  }
  return outcome;
}

ReadOutcome Transport::TryRead(std::span<char> into) {
  using Kind = ReadOutcome::Kind;
  if (cancelled_ || broken_) return {Kind::kFailed, 0};
  if (state_->tls) {
    TlsStep step = state_->tls->Read(into);
    switch (step.kind) {
      case TlsStep::Kind::kDone: return Count({Kind::kBytes, step.bytes});
      case TlsStep::Kind::kWantRead:
      case TlsStep::Kind::kWantWrite: return {Kind::kWouldBlock, 0};
      case TlsStep::Kind::kClosed: return {Kind::kEnd, 0};
      case TlsStep::Kind::kFailed: return {Kind::kFailed, 0};
    }
  }
  ssize_t received = recv(fd(), into.data(), into.size(), MSG_DONTWAIT);
  if (received > 0) return Count({Kind::kBytes, static_cast<size_t>(received)});
  if (received == 0) return {Kind::kEnd, 0};
  bool later = errno == EAGAIN || errno == EINTR;
  return {later ? Kind::kWouldBlock : Kind::kFailed, 0};
}

Task<ReadOutcome> Transport::ReadTls(std::span<char> into, Tick deadline) {
  while (true) {
    ReadOutcome outcome = TryRead(into);
    if (outcome.kind != ReadOutcome::Kind::kWouldBlock) co_return outcome;
    bool ready = co_await WaitReadable(deadline);
    if (!ready) co_return ReadOutcome();
  }
}

Task<ReadOutcome> Transport::Read(std::span<char> into, Tick deadline) {
  if (state_->tls) {
    ReadOutcome outcome = co_await ReadTls(into, deadline);
    co_return outcome;
  }
  if (cancelled_ || broken_) co_return ReadOutcome();
  at = deadline;
  asio::mutable_buffer buffer(into.data(), into.size());
  auto [error, count] = co_await state_->socket.async_read_some(buffer, kToken);
  at = kNever;
  if (error == asio::error::eof) co_return ReadOutcome{ReadOutcome::Kind::kEnd, 0};
  if (error) co_return ReadOutcome();
  co_return Count({ReadOutcome::Kind::kBytes, count});
}

size_t Transport::TryWrite(std::string_view text, Flush flush) {
  if (cancelled_ || broken_) return 0;
  size_t done = 0;
  if (state_->tls) {
    while (done < text.size()) {
      TlsStep step = state_->tls->Write(text.substr(done));
      if (step.kind == TlsStep::Kind::kFailed || step.kind == TlsStep::Kind::kClosed)
        broken_ = true;
      if (step.kind != TlsStep::Kind::kDone) break;
      done += step.bytes;
    }
  } else {
    int flags = MSG_DONTWAIT | MSG_NOSIGNAL | (flush == Flush::kMoreComes ? MSG_MORE : 0);
    ssize_t sent = send(fd(), text.data(), text.size(), flags);
    if (sent > 0) done = static_cast<size_t>(sent);
    if (sent < 0 && errno != EAGAIN && errno != EINTR) broken_ = true;
  }
  if (bytes_out != nullptr)
    bytes_out->fetch_add(static_cast<int64_t>(done), std::memory_order_relaxed);
  return done;
}

Task<bool> Transport::Write(std::string_view text, std::chrono::milliseconds stall, Flush flush) {
  while (!text.empty()) {
    size_t done = TryWrite(text, flush);
    if (broken_ || cancelled_) co_return false;
    text.remove_prefix(done);
    if (text.empty() || done > 0) continue;
    // A renegotiation could want to read here; without one, only the socket's buffer is in the way.
    Tick deadline = loop_.After(stall);
    bool ready = co_await WaitWritable(deadline);
    if (!ready) co_return false;
  }
  co_return true;
}

Task<bool> Transport::SendFile(int file, int64_t offset, int64_t length,
                               std::chrono::milliseconds stall) {
  off_t at_byte = offset;
  while (length > 0) {
    if (cancelled_) co_return false;
    ssize_t sent =
        sendfile(fd(), file, &at_byte, static_cast<size_t>(std::min(length, kSendFilePiece)));
    if (sent == 0) co_return false;  // the file is shorter than promised
    if (sent < 0 && errno != EAGAIN && errno != EINTR) co_return false;
    if (sent > 0) {
      length -= sent;
      if (bytes_out != nullptr) bytes_out->fetch_add(sent, std::memory_order_relaxed);
    }
    if (length == 0) break;
    Tick deadline = loop_.After(stall);
    bool ready = co_await WaitWritable(deadline);
    if (!ready) co_return false;
  }
  co_return true;
}

void Transport::WatchReadable(std::function<void()> then) {
  state_->socket.async_wait(tcp::socket::wait_read,
                            [then = std::move(then)](boost::system::error_code) { then(); });
}

void Transport::StopWatching() {
  boost::system::error_code ignored;
  state_->socket.cancel(ignored);
}

UniqueFd Transport::Release() {
  boost::system::error_code ignored;
  return UniqueFd(state_->socket.release(ignored));
}

void Transport::ShutdownSend() {
  if (state_->tls && !broken_) state_->tls->Shutdown();
  boost::system::error_code ignored;
  state_->socket.shutdown(tcp::socket::shutdown_send, ignored);
}

namespace {

// Gives up a connection attempt.
class ConnectDeadline final : private Deadline {
 public:
  ConnectDeadline(IoLoop& loop, tcp::socket& socket, Tick deadline)
      : Deadline(loop), socket_(socket) {
    at = deadline;
  }

 private:
  void Expire() override {
    boost::system::error_code ignored;
    socket_.cancel(ignored);
  }
  tcp::socket& socket_;
};

}  // namespace

Task<std::unique_ptr<Transport>> Connect(IoLoop& loop, std::string address, uint16_t port,
                                         Tick deadline) {
  boost::system::error_code error;
  asio::ip::address parsed = asio::ip::make_address(address, error);
  if (error) co_return nullptr;
  tcp::endpoint endpoint(parsed, port);
  tcp::socket socket(loop.context());
  ConnectDeadline limit(loop, socket, deadline);
  auto [failure] = co_await socket.async_connect(endpoint, kToken);
  if (failure) co_return nullptr;
  UniqueFd fd(socket.release());
  co_return std::make_unique<Transport>(loop, std::move(fd));
}

Task<std::vector<std::string>> Resolve(IoLoop& loop, std::string host) {
  std::vector<std::string> addresses;
  boost::system::error_code error;
  asio::ip::address literal = asio::ip::make_address(host, error);
  if (!error) {
    addresses.push_back(literal.to_string());
    co_return addresses;
  }
  tcp::resolver resolver(loop.context());
  std::string service;
  auto [failure, results] = co_await resolver.async_resolve(host, service, kToken);
  if (failure) co_return addresses;
  for (const auto& entry : results) addresses.push_back(entry.endpoint().address().to_string());
  co_return addresses;
}

}  // namespace fireweed::net
