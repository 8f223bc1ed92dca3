#include "init/ssh_door.h"

#include <fcntl.h>
#include <netinet/in.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <optional>

#include "init/accounts.h"
#include "init/console.h"
#include "init/metadata.h"
#include "init/program.h"

namespace fireweed {
namespace {

constexpr uint16_t kPort = 22;
constexpr int kBacklog = 32;
constexpr const char* kServer = "/usr/sbin/sshd";
constexpr const char* kKeyLock = "/run/fireweed/host-keys.lock";
// RSA takes a second to make, and no client of this decade needs it.
constexpr const char* kKinds[] = {"ed25519", "ecdsa"};

std::string KeyFile(const char* kind) { return std::string("/etc/ssh/ssh_host_") + kind + "_key"; }

// Made once and kept on the machine's disk: clients remember them.
void EnsureHostKeys() {
  int lock = open(kKeyLock, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (lock >= 0) flock(lock, LOCK_EX);
  for (const char* kind : kKinds) {
    std::string file = KeyFile(kind);
    if (access(file.c_str(), F_OK) == 0) continue;
    RunHere({"ssh-keygen", "-q", "-t", kind, "-N", "", "-C", "", "-f", file});
  }
  if (lock >= 0) close(lock);
}

bool GuestAttributesEnabled(const HttpServer& metadata) {
  constexpr const char* kName = "enable-guest-attributes";
  std::optional<std::string> own =
      AwaitMetadata(metadata, std::string("instance/attributes/") + kName);
  if (!own) own = AwaitMetadata(metadata, std::string("project/attributes/") + kName);
  return own && IsTrueWord(*own);
}

void PublishHostKeys(const HttpServer& metadata) {
  for (const char* kind : kKinds) {
    PublicKey key = ParsePublicKey(ReadSmallFile(KeyFile(kind) + ".pub").value_or(""));
    if (key.kind.empty()) continue;
    HttpSend(metadata, "PUT", "/computeMetadata/v1/instance/guest-attributes/hostkeys/" + key.kind,
             key.key);
  }
}

}  // namespace

PublicKey ParsePublicKey(std::string_view line) {
  line = line.substr(0, line.find('\n'));
  size_t first = line.find(' ');
  if (first == line.npos || first == 0) return {};
  std::string_view rest = line.substr(first + 1);
  std::string_view key = rest.substr(0, rest.find(' '));
  if (key.empty()) return {};
  return {std::string(line.substr(0, first)), std::string(key)};
}

int OpenSshDoor() {
  int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (fd < 0) return -1;
  int one = 1;
  setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
  sockaddr_in any{.sin_family = AF_INET, .sin_port = htons(kPort)};
  if (bind(fd, reinterpret_cast<sockaddr*>(&any), sizeof any) == 0 && listen(fd, kBacklog) == 0) {
    return fd;
  }
  close(fd);
  return -1;
}

int ServeSsh(int connection, const HttpServer& metadata) {
  if (access(kServer, X_OK) != 0) {
    SayOnConsole("fireweed-init", "a connection to port 22, but the image has no sshd");
    return 127;
  }
  if (std::optional<KeyMetadata> keys = ReadKeyMetadata(metadata)) UpdateAccounts(*keys);
  EnsureHostKeys();
  mkdir("/run/sshd", 0755);
  std::vector<std::string> command{kServer, "-i", "-e"};
  for (const char* kind : kKinds) command.insert(command.end(), {"-h", KeyFile(kind)});
  dup2(connection, STDIN_FILENO);
  dup2(connection, STDOUT_FILENO);
  return Become(command);
}

int PrepareSsh(const HttpServer& metadata) {
  if (access(kServer, X_OK) != 0 || !GuestAttributesEnabled(metadata)) return 0;
  EnsureHostKeys();
  PublishHostKeys(metadata);
  return 0;
}

}  // namespace fireweed
