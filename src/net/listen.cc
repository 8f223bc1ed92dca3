#include <dirent.h>
#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <memory>
#include <sstream>

#include <fmt/format.h>

#include "net/http_server.h"

namespace fireweed::net {
namespace {

constexpr int kBacklog = 1024;

struct CloseDirectory {
  void operator()(DIR* directory) const { closedir(directory); }
};
using Directory = std::unique_ptr<DIR, CloseDirectory>;

// The inode of the listening socket on `port`, as the kernel's table of connections shows it.
std::string ListeningInode(const char* table, uint16_t port) {
  std::ifstream file(table);
  std::string line;
  const std::string suffix = fmt::format(":{:04X}", port);
  while (std::getline(file, line)) {
    std::istringstream words(line);
    std::string slot, local, remote, state, queues, timer, retransmits, user, timeout, inode;
    words >> slot >> local >> remote >> state >> queues >> timer >> retransmits >> user >>
        timeout >> inode;
    if (state == "0A" && local.ends_with(suffix)) return inode;
  }
  return "";
}

bool HoldsInode(const std::string& process, const std::string& inode) {
  const std::string path = "/proc/" + process + "/fd";
  Directory directory(opendir(path.c_str()));
  if (!directory) return false;
  const std::string wanted = "socket:[" + inode + "]";
  while (dirent* entry = readdir(directory.get())) {
    char target[64];
    ssize_t size = readlink((path + "/" + entry->d_name).c_str(), target, sizeof target);
    if (size > 0 && std::string_view(target, static_cast<size_t>(size)) == wanted) return true;
  }
  return false;
}

// "nginx (process 4711)", or empty when it cannot be told.
std::string HolderOf(uint16_t port) {
  std::string inode = ListeningInode("/proc/net/tcp", port);
  if (inode.empty()) inode = ListeningInode("/proc/net/tcp6", port);
  if (inode.empty()) return "";
  Directory processes(opendir("/proc"));
  while (dirent* entry = processes ? readdir(processes.get()) : nullptr) {
    std::string process = entry->d_name;
    if (process.find_first_not_of("0123456789") != std::string::npos) continue;
    if (!HoldsInode(process, inode)) continue;
    std::string name;
    std::getline(std::ifstream("/proc/" + process + "/comm"), name);
    return fmt::format("{} (process {})", name, process);
  }
  return "";
}

std::string PortMessage(const std::string& host, uint16_t port, int error) {
  if (error == EADDRINUSE) {
    std::string holder = HolderOf(port);
    return fmt::format("cannot listen on {}:{}: the port is taken{}", host, port,
                       holder.empty() ? "" : " by " + holder);
  }
  if (error == EACCES) {
    return fmt::format("cannot listen on {}:{}: ports below 1024 need privileges", host, port);
  }
  return fmt::format("cannot listen on {}:{}: {}", host, port, std::strerror(error));
}

}  // namespace

UniqueFd ListenTcp(const std::string& host, uint16_t port) {
  addrinfo hints{};
  hints.ai_family = AF_UNSPEC;
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV;
  addrinfo* found = nullptr;
  int outcome = getaddrinfo(host.empty() ? nullptr : host.c_str(), std::to_string(port).c_str(),
                            &hints, &found);
  if (outcome != 0) {
    throw Failure(Code::kInvalid,
                  fmt::format("cannot listen on {}: {}", host, gai_strerror(outcome)));
  }
  std::unique_ptr<addrinfo, decltype(&freeaddrinfo)> addresses(found, freeaddrinfo);
  UniqueFd fd(socket(found->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  int on = 1;
  if (fd) setsockopt(fd.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  if (!fd || bind(fd.get(), found->ai_addr, found->ai_addrlen) != 0 ||
      listen(fd.get(), kBacklog) != 0) {
    throw Failure(Code::kExhausted, PortMessage(host, port, errno));
  }
  return fd;
}

UniqueFd ListenUnix(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.empty() || path.size() >= sizeof address.sun_path) {
    throw Failure(Code::kInvalid,
                  fmt::format("cannot listen on '{}': a socket's path has 1 to {} bytes", path,
                              sizeof address.sun_path - 1));
  }
  path.copy(address.sun_path, path.size());
  UniqueFd fd(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!fd) throw Failure(ErrnoError(errno, "make a socket"));
  unlink(path.c_str());
  // The mode is set before anyone can connect: before listen.
  if (bind(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 ||
      chmod(path.c_str(), 0600) != 0 || listen(fd.get(), kBacklog) != 0) {
    throw Failure(ErrnoError(errno, "listen on " + path));
  }
  return fd;
}

uint16_t LocalPort(int fd) {
  sockaddr_storage address{};
  socklen_t size = sizeof address;
  if (getsockname(fd, reinterpret_cast<sockaddr*>(&address), &size) != 0) return 0;
  if (address.ss_family == AF_INET6)
    return ntohs(reinterpret_cast<sockaddr_in6*>(&address)->sin6_port);
  return ntohs(reinterpret_cast<sockaddr_in*>(&address)->sin_port);
}

}  // namespace fireweed::net
