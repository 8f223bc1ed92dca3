#include "compute/dns_stream.h"

#include <poll.h>
#include <sys/socket.h>

#include <cerrno>

namespace fireweed::compute {
namespace {

constexpr size_t kHead = 2;
constexpr size_t kLargestMessage = 65535;

}  // namespace

short DnsStream::events() const {
  short wanted = ended_ ? 0 : POLLIN;
  return static_cast<short>(out_.empty() ? wanted : wanted | POLLOUT);
}

bool DnsStream::Turn(short revents) {
  if (revents & (POLLERR | POLLNVAL)) return false;
  if ((revents & POLLOUT) && !Write()) return false;
  if ((revents & (POLLIN | POLLHUP)) && !ended_ && !Read()) return false;
  return true;
}

bool DnsStream::Write() {
  while (!out_.empty()) {
    ssize_t n = send(fd(), out_.data(), out_.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (n < 0) return errno == EAGAIN || errno == EINTR;
    out_.erase(0, static_cast<size_t>(n));
  }
  return true;
}

// No more than a message ahead: the rest waits in the kernel, and there it slows the peer down.
bool DnsStream::Read() {
  char buffer[4096];
  while (in_.size() < kLargestMessage + kHead) {
    ssize_t n = recv(fd(), buffer, sizeof buffer, MSG_DONTWAIT);
    if (n < 0) return errno == EAGAIN || errno == EINTR;
    if (n == 0) {
      ended_ = true;
      return true;
    }
    in_.append(buffer, static_cast<size_t>(n));
  }
  return true;
}

std::optional<std::string> DnsStream::Take() {
  if (in_.size() < kHead) return std::nullopt;
  size_t size =
      static_cast<size_t>(static_cast<uint8_t>(in_[0])) << 8 | static_cast<uint8_t>(in_[1]);
  if (in_.size() < kHead + size) return std::nullopt;
  std::string message = in_.substr(kHead, size);
  in_.erase(0, kHead + size);
  return message;
}

bool DnsStream::Queue(std::string_view message) {
  if (message.size() > kLargestMessage || out_.size() > kMostQueued) return false;
  out_ += static_cast<char>(message.size() >> 8);
  out_ += static_cast<char>(message.size() & 0xff);
  out_.append(message);
  return true;
}

}  // namespace fireweed::compute
