// "https://user:secret@host:8443/path?query" taken apart. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace fireweed::net {

struct Url {
  bool https = false;
  std::string user_info;  // decoded, "user:secret"; empty when there is none
  std::string host;       // lower case; an IPv6 address without brackets
  uint16_t port = 0;
  std::string target;  // path and query, at least "/"

  // "host" or "host:port" where the port is not the scheme's own.
  std::string Authority() const;
};
// Only http and https; nullopt for anything malformed.
std::optional<Url> ParseUrl(std::string_view text);

}  // namespace fireweed::net
