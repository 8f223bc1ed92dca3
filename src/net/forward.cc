#include "net/forward.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

namespace fireweed::net {
namespace {

// An address of a socket by way of its directory's descriptor, since a path may be longer than an address. `directory`
// has to live until the address was used.
Result<sockaddr_un> AddressOf(const std::string& path, UniqueFd& directory) {
  std::filesystem::path parts(path);
  std::string parent = parts.has_parent_path() ? parts.parent_path().string() : ".";
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  directory = UniqueFd(open(parent.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!directory) return ErrnoError(errno, parent);
  std::string text =
      "/proc/self/fd/" + std::to_string(directory.get()) + "/" + parts.filename().string();
  if (text.size() >= sizeof address.sun_path) {
    return Result<sockaddr_un>(Code::kInvalid, "the socket's name is too long: " + path);
  }
  std::memcpy(address.sun_path, text.c_str(), text.size() + 1);
  return address;
}

}  // namespace

Result<UniqueFd> ConnectUnix(const std::string& path) {
  UniqueFd directory;
  Result<sockaddr_un> address = AddressOf(path, directory);
  if (!address.ok()) return address.error();
  UniqueFd socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!socket) return ErrnoError(errno, "socket");
  if (connect(socket.get(), reinterpret_cast<const sockaddr*>(&*address), sizeof *address) != 0) {
    return Result<UniqueFd>(Code::kUnavailable,
                            path + " cannot be reached: " + std::strerror(errno));
  }
  return socket;
}

UniqueFd Backend::TakeIdle() {
  return idle_.With([](std::vector<UniqueFd>& idle) {
    if (idle.empty()) return UniqueFd();
    UniqueFd last = std::move(idle.back());
    idle.pop_back();
    return last;
  });
}

void Backend::KeepIdle(UniqueFd connection) {
  idle_.With([&](std::vector<UniqueFd>& idle) {
    if (idle.size() < kMostIdle) idle.push_back(std::move(connection));
  });
}

bool Backend::TakePlace() {
  if (held_.fetch_add(1, std::memory_order_relaxed) < kMostHeld) return true;
  GivePlace();
  return false;
}

Result<UniqueFd> Backend::Connect() const { return ConnectUnix(path_); }

}  // namespace fireweed::net
