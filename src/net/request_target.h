// The pieces of a request target and of an authority, still percent-encoded. Pure; views into the
// input.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace fireweed::net {

struct Authority {
  std::string_view host;  // as sent; an IPv6 address without its brackets
  std::optional<uint16_t> port;
};
// "host", "host:port", "[::1]:port". nullopt for anything with other characters, user names or a
// bad port.
std::optional<Authority> ParseAuthority(std::string_view text);

struct RequestTarget {
  std::string_view authority;  // of the absolute form "http://authority/..."; empty otherwise
  std::string_view path;       // begins with '/', or is "*"
  std::string_view query;      // without '?'
  bool https = false;          // of the absolute form
};
// Origin form, absolute form and "*"; a fragment is refused. CONNECT's authority form goes to
// ParseAuthority.
std::optional<RequestTarget> ParseTarget(std::string_view target);

}  // namespace fireweed::net
