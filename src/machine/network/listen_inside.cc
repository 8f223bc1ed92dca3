#include "machine/network/listen_inside.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <cerrno>
#include <string>

#include <fmt/format.h>

#include "machine/network/inside_ports.h"
#include "machine/network/netlink.h"
#include "machine/network/subnet.h"

namespace fireweed {

Result<UniqueFd> OpenListenerIn(int namespace_fd, std::string_view address, uint16_t port,
                                Transport transport) {
  std::optional<Ipv4> parsed = ParseIpv4(address);
  if (!parsed) return Error{Code::kInvalid, "", fmt::format("bad address '{}'", address)};
  UniqueFd listener;
  Result<> opened = InNetwork(namespace_fd, [&]() -> Result<> {
    int type = transport == Transport::kTcp ? SOCK_STREAM : SOCK_DGRAM;
    UniqueFd fd(socket(AF_INET, type | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    int on = 1;
    uint16_t place = port;
    if (*parsed == kMetadataAddress) place = InsideStandIn(port, transport).value_or(port);
    sockaddr_in at{.sin_family = AF_INET, .sin_port = htons(place), .sin_addr = {htonl(*parsed)}};
    // A restarted daemon takes the place of the one before, whose connections may linger.
    if (!fd || setsockopt(fd.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) != 0 ||
        bind(fd.get(), reinterpret_cast<sockaddr*>(&at), sizeof at) != 0 ||
        (transport == Transport::kTcp && listen(fd.get(), SOMAXCONN) != 0)) {
      return ErrnoError(errno, fmt::format("listening at {}:{} inside", address, port));
    }
    listener = std::move(fd);
    return Done{};
  });
  if (!opened.ok()) return opened.error();
  return listener;
}

}  // namespace fireweed
