#include "ml/models/ready_probe.h"

#include <poll.h>
#include <sys/socket.h>

#include <array>
#include <string_view>

#include "net/forward.h"

namespace fireweed::ml {
namespace {

constexpr int kLongestMs = 1000;  // one that is busy loading is asked again

}  // namespace

bool SaysReady(const std::string& socket_path) {
  Result<UniqueFd> connection = net::ConnectUnix(socket_path);
  if (!connection.ok()) return false;
  constexpr std::string_view kAsk =
      "GET /readyz HTTP/1.1\r\nHost: model\r\nConnection: close\r\n\r\n";
  if (send(connection->get(), kAsk.data(), kAsk.size(), MSG_NOSIGNAL) !=
      static_cast<ssize_t>(kAsk.size())) {
    return false;
  }
  std::string answer;
  while (answer.size() < 12) {
    pollfd waiting{connection->get(), POLLIN, 0};
    if (poll(&waiting, 1, kLongestMs) != 1) return false;
    std::array<char, 256> bytes;
    ssize_t count = recv(connection->get(), bytes.data(), bytes.size(), 0);
    if (count <= 0) return false;
    answer.append(bytes.data(), static_cast<size_t>(count));
  }
  return answer.starts_with("HTTP/1.1 200");
}

}  // namespace fireweed::ml
