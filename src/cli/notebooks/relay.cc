#include "cli/notebooks/relay.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <cerrno>

#include "base/error.h"
#include "net/http_server.h"

namespace fireweed::cli {
namespace {

constexpr size_t kMostHeld = 256 << 10;
constexpr time_t kConnectSeconds = 5;

bool WouldBlock() { return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR; }

void SetNonBlocking(int fd) { fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK); }

}  // namespace

UniqueFd Relay::Connect(const Target& target) {
  UniqueFd fd(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(target.port);
  if (!fd || inet_pton(AF_INET, target.address.c_str(), &address.sin_addr) != 1) return UniqueFd();
  timeval limit{kConnectSeconds, 0};
  setsockopt(fd.get(), SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
  if (connect(fd.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) != 0)
    return UniqueFd();
  return fd;
}

Relay::Relay(uint16_t port, Find find)
    : Relay(port, Dial([find = std::move(find)] {
              std::optional<Target> target = find();
              return target ? Connect(*target) : UniqueFd();
            })) {}

Relay::Relay(uint16_t port, Dial dial)
    : listener_(net::ListenTcp("127.0.0.1", port)), dial_(std::move(dial)) {
  SetNonBlocking(listener_.get());
}

uint16_t Relay::port() const { return net::LocalPort(listener_.get()); }

void Relay::Accept() {
  UniqueFd near(accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
  if (!near) return;
  UniqueFd far = dial_();
  if (!far) return;  // the caller's connection ends
  SetNonBlocking(far.get());
  pairs_.push_back({std::move(near), std::move(far), {}, {}});
}

// What to wait for on the socket that `in` comes from and `out` goes to.
short Relay::WantedOf(const Direction& in, const Direction& out) {
  short wanted = 0;
  if (!in.ended && in.held.size() < kMostHeld) wanted |= POLLIN;
  if (!out.held.empty()) wanted |= POLLOUT;
  return wanted;
}

// False when the connection is broken.
bool Relay::Move(int from, int to, Direction& way) {
  char bytes[64 << 10];
  while (!way.ended && way.held.size() < kMostHeld) {
    ssize_t count = recv(from, bytes, sizeof bytes, 0);
    if (count < 0) {
      if (WouldBlock()) break;
      return false;
    }
    if (count == 0) way.ended = true;
    way.held.append(bytes, static_cast<size_t>(count));
  }
  while (!way.held.empty()) {
    ssize_t count = send(to, way.held.data(), way.held.size(), MSG_NOSIGNAL);
    if (count < 0) {
      if (WouldBlock()) return true;
      return false;
    }
    way.held.erase(0, static_cast<size_t>(count));
  }
  if (way.ended && !way.passed_on) {
    shutdown(to, SHUT_WR);
    way.passed_on = true;
  }
  return true;
}

void Relay::Turn(int timeout_ms) {
  std::vector<pollfd> polls = {{listener_.get(), POLLIN, 0}};
  for (const Pair& pair : pairs_) {
    polls.push_back({pair.near.get(), WantedOf(pair.out, pair.back), 0});
    polls.push_back({pair.far.get(), WantedOf(pair.back, pair.out), 0});
  }
  if (poll(polls.data(), polls.size(), timeout_ms) < 0 && errno != EINTR)
    throw Failure(ErrnoError(errno, "poll"));
  for (size_t i = 0; i < pairs_.size(); ++i) {
    Pair& pair = pairs_[i];
    // A connection that was reset is over also when nothing more was expected of it: poll would not wait for others.
    bool reset = ((polls[2 * i + 1].revents | polls[2 * i + 2].revents) & POLLERR) != 0;
    pair.broken = reset || !Move(pair.near.get(), pair.far.get(), pair.out) ||
                  !Move(pair.far.get(), pair.near.get(), pair.back) ||
                  (pair.out.passed_on && pair.back.passed_on);
  }
  std::erase_if(pairs_, [](const Pair& pair) { return pair.broken; });
  if (polls.front().revents & POLLIN) Accept();
}

void Relay::Run() {
  while (true) Turn(-1);
}

}  // namespace fireweed::cli
