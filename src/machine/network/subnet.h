// IPv4 addresses and subnets as numbers. Pure.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace fireweed {

using Ipv4 = uint32_t;  // host byte order

std::optional<Ipv4> ParseIpv4(std::string_view text);
std::string FormatIpv4(Ipv4 address);

struct Subnet {
  Ipv4 base = 0;
  int prefix_length = 0;

  uint32_t size() const { return prefix_length == 0 ? 0xffffffffu : 1u << (32 - prefix_length); }
  bool Contains(Ipv4 address) const { return address - base < size(); }
  bool Overlaps(const Subnet& other) const { return Contains(other.base) || other.Contains(base); }
  Ipv4 gateway() const { return base + 1; }

  friend bool operator==(const Subnet&, const Subnet&) = default;
};

// Machines of one daemon share a subnet of this size.
inline constexpr int kInstancePrefixLength = 20;
// The subnet that an instance's address lies in.
inline Subnet InstanceSubnet(Ipv4 address) {
  return {address & ~((1u << (32 - kInstancePrefixLength)) - 1), kInstancePrefixLength};
}

// The number of the network card of whoever has this address, as the public cloud makes them: 42:01 and the address.
using Mac = std::array<uint8_t, 6>;
Mac MacOf(Ipv4 address);
std::string FormatMac(const Mac& mac);  // "42:01:0a:80:00:02"

// "10.128.0.0/20"; nullopt when bits below the prefix are set.
std::optional<Subnet> ParseSubnet(std::string_view text);
std::string FormatSubnet(const Subnet& subnet);

// The destinations in the output of `ip -4 route show table all`: "10.0.0.0/8 dev ...", "local 10.0.0.1 dev ...".
std::vector<Subnet> SubnetsOfRoutes(std::string_view routes);
// The first candidate that touches none of `taken`.
std::optional<Subnet> PickSubnet(const std::vector<Subnet>& candidates,
                                 const std::vector<Subnet>& taken);

// The lowest host number (2 .. size - 2) that is not `taken`.
std::optional<uint32_t> PickHost(const Subnet& subnet, const std::set<uint32_t>& taken);

}  // namespace fireweed
