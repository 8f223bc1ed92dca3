#include "machine/process/loopback_place.h"

#include <netinet/in.h>
#include <sys/socket.h>

#include <cerrno>
#include <charconv>
#include <cstring>

#include <fmt/format.h>

#include "base/bytes.h"
#include "base/checksum.h"
#include "machine/network/subnet.h"

namespace fireweed {
namespace {

constexpr Ipv4 kNetwork = 0x7f540000;  // 127.84.0.0/16
constexpr Ipv4 kHosts = 0xffff;

Result<UniqueFd> Bind(Ipv4 address, uint16_t port) {
  UniqueFd fd(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  int on = 1;
  sockaddr_in at{.sin_family = AF_INET, .sin_port = htons(port), .sin_addr = {htonl(address)}};
  if (!fd || setsockopt(fd.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) != 0 ||
      bind(fd.get(), reinterpret_cast<sockaddr*>(&at), sizeof at) != 0) {
    return Error{Code::kUnavailable, "",
                 fmt::format("{}:{}: {}", FormatIpv4(address), port, strerror(errno))};
  }
  return fd;
}

}  // namespace

Result<std::string> ChooseLoopbackPlace(std::string_view machine_id) {
  Ipv4 address = kNetwork | (Crc32c(AsBytes(machine_id)) & kHosts);
  Result<UniqueFd> fd = Bind(address, 0);
  if (!fd.ok()) return fd.error();
  sockaddr_in at{};
  socklen_t size = sizeof at;
  if (getsockname(fd->get(), reinterpret_cast<sockaddr*>(&at), &size) != 0) {
    return ErrnoError(errno, "getsockname");
  }
  return fmt::format("{}:{}", FormatIpv4(address), ntohs(at.sin_port));
}

Result<UniqueFd> ListenAtPlace(const std::string& place) {
  size_t colon = place.find(':');
  std::optional<Ipv4> address = ParseIpv4(place.substr(0, colon));
  uint16_t port = 0;
  if (colon != place.npos) {
    std::from_chars(place.data() + colon + 1, place.data() + place.size(), port);
  }
  if (!address || port == 0) return Error{Code::kInternal, "", "bad place '" + place + "'"};
  Result<UniqueFd> fd = Bind(*address, port);
  if (!fd.ok()) return fd.error();
  if (listen(fd->get(), SOMAXCONN) != 0) return ErrnoError(errno, "listen");
  return fd;
}

}  // namespace fireweed
