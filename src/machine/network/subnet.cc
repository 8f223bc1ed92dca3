#include "machine/network/subnet.h"

#include <charconv>

#include <fmt/format.h>

namespace fireweed {
namespace {

std::optional<uint32_t> ParseUpTo(std::string_view text, uint32_t most) {
  uint32_t number = 0;
  if (text.empty() || text.size() > 3) return std::nullopt;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || number > most) {
    return std::nullopt;
  }
  return number;
}

}  // namespace

std::optional<Ipv4> ParseIpv4(std::string_view text) {
  Ipv4 address = 0;
  for (int part = 0; part < 4; ++part) {
    std::string_view digits = text.substr(0, part < 3 ? text.find('.') : text.size());
    std::optional<uint32_t> number = ParseUpTo(digits, 255);
    if (!number || (part < 3 && digits.size() == text.size())) return std::nullopt;
    address = address << 8 | *number;
    text.remove_prefix(digits.size() + (part < 3 ? 1 : 0));
  }
  return address;
}

std::string FormatIpv4(Ipv4 address) {
  return fmt::format("{}.{}.{}.{}", address >> 24, address >> 16 & 255, address >> 8 & 255,
                     address & 255);
}

Mac MacOf(Ipv4 address) {
  return {0x42,
          0x01,
          static_cast<uint8_t>(address >> 24),
          static_cast<uint8_t>(address >> 16),
          static_cast<uint8_t>(address >> 8),
          static_cast<uint8_t>(address)};
}

std::string FormatMac(const Mac& mac) { return fmt::format("{:02x}", fmt::join(mac, ":")); }

std::optional<Subnet> ParseSubnet(std::string_view text) {
  size_t slash = text.find('/');
  if (slash == text.npos) return std::nullopt;
  std::optional<Ipv4> base = ParseIpv4(text.substr(0, slash));
  std::optional<uint32_t> length = ParseUpTo(text.substr(slash + 1), 32);
  if (!base || !length) return std::nullopt;
  Subnet subnet{*base, static_cast<int>(*length)};
  if (*length > 0 && (*base & (subnet.size() - 1)) != 0) return std::nullopt;
  if (*length == 0 && *base != 0) return std::nullopt;
  return subnet;
}

std::string FormatSubnet(const Subnet& subnet) {
  return fmt::format("{}/{}", FormatIpv4(subnet.base), subnet.prefix_length);
}

std::vector<Subnet> SubnetsOfRoutes(std::string_view routes) {
  std::vector<Subnet> found;
  while (!routes.empty()) {
    std::string_view line = routes.substr(0, routes.find('\n'));
    routes.remove_prefix(std::min(line.size() + 1, routes.size()));
    // The destination is the first word, or the second after a route's kind.
    for (int word = 0; word < 2 && !line.empty(); ++word) {
      std::string_view first = line.substr(0, line.find(' '));
      line.remove_prefix(std::min(first.size() + 1, line.size()));
      std::optional<Subnet> subnet = ParseSubnet(first);
      if (std::optional<Ipv4> host = ParseIpv4(first)) subnet = Subnet{*host, 32};
      if (!subnet || subnet->prefix_length == 0) continue;
      found.push_back(*subnet);
      break;
    }
  }
  return found;
}

std::optional<Subnet> PickSubnet(const std::vector<Subnet>& candidates,
                                 const std::vector<Subnet>& taken) {
  for (const Subnet& candidate : candidates) {
    bool free = true;
    for (const Subnet& other : taken) free = free && !candidate.Overlaps(other);
    if (free) return candidate;
  }
  return std::nullopt;
}

std::optional<uint32_t> PickHost(const Subnet& subnet, const std::set<uint32_t>& taken) {
  for (uint32_t host = 2; host + 1 < subnet.size(); ++host) {
    if (!taken.contains(host)) return host;
  }
  return std::nullopt;
}

}  // namespace fireweed
