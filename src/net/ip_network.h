// A range of IP addresses, "10.128.0.0/20". Pure.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace fireweed::net {

class IpNetwork {
 public:
  // An address with or without a prefix length; nullopt for anything else.
  static std::optional<IpNetwork> Parse(std::string_view text);
  // IPv4 addresses are also found in their IPv6-mapped form. False for what is no address.
  bool Contains(std::string_view address) const;

 private:
  std::array<uint8_t, 16> bytes_{};  // IPv4 as ::ffff:a.b.c.d
  int prefix_ = 128;                 // bits of bytes_ that count
};

}  // namespace fireweed::net
