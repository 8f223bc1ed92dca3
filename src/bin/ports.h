// The daemon's listening sockets: port 0 picks a free port once and keeps it in the state directory,
// so that a shell set up before a restart still works after it.
#pragma once

#include <string>

#include "base/disk.h"
#include "base/random.h"
#include "base/unique_fd.h"
#include "describe/type.h"

namespace fireweed {

struct KeptPorts {
  int32_t http = 0;
  int32_t https = 0;
};

struct ListeningSockets {
  UniqueFd http, https;
  std::string http_address, https_address;  // "127.0.0.1:8080"
};

// Throws Failure that names what holds a port, and how to choose another.
ListeningSockets OpenSockets(const std::string& http, const std::string& https, Disk& disk,
                             const std::string& kept_path, Random& random);

// Writes a small file durably: draft, sync, rename, directory sync.
void WriteDurably(Disk& disk, const std::string& path, std::string_view contents);

}  // namespace fireweed

namespace fireweed {
template <>
inline constexpr auto kFields<KeptPorts> = [](auto...) {
  return Fields{F("http", &KeptPorts::http), F("https", &KeptPorts::https)};
};
}  // namespace fireweed
