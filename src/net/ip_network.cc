#include "net/ip_network.h"

#include <arpa/inet.h>

#include <charconv>
#include <string>

namespace fireweed::net {
namespace {

constexpr int kMappedBits = 96;

std::optional<std::array<uint8_t, 16>> ParseAddress(std::string_view text) {
  std::string name(text.substr(0, text.find('%')));  // a zone says nothing about the address
  std::array<uint8_t, 16> bytes{};
  if (inet_pton(AF_INET6, name.c_str(), bytes.data()) == 1) return bytes;
  bytes[10] = bytes[11] = 0xff;
  if (inet_pton(AF_INET, name.c_str(), bytes.data() + 12) == 1) return bytes;
  return std::nullopt;
}

}  // namespace

std::optional<IpNetwork> IpNetwork::Parse(std::string_view text) {
  size_t slash = text.find('/');
  std::string_view address = text.substr(0, slash);
  std::optional<std::array<uint8_t, 16>> bytes = ParseAddress(address);
  if (!bytes) return std::nullopt;
  IpNetwork network;
  network.bytes_ = *bytes;
  if (slash == std::string_view::npos) return network;
  const bool v4 = address.find(':') == std::string_view::npos;
  const int bits = v4 ? 32 : 128;
  std::string_view length = text.substr(slash + 1);
  int prefix = -1;
  auto [end, error] = std::from_chars(length.data(), length.data() + length.size(), prefix);
  if (error != std::errc() || end != length.data() + length.size()) return std::nullopt;
  if (prefix < 0 || prefix > bits) return std::nullopt;
  network.prefix_ = v4 ? prefix + kMappedBits : prefix;
  return network;
}

bool IpNetwork::Contains(std::string_view address) const {
  std::optional<std::array<uint8_t, 16>> bytes = ParseAddress(address);
  if (!bytes) return false;
  for (int bit = 0; bit < prefix_; ++bit) {
    uint8_t mask = static_cast<uint8_t>(0x80 >> bit % 8);
    if (((*bytes)[bit / 8] & mask) != (bytes_[bit / 8] & mask)) return false;
  }
  return true;
}

}  // namespace fireweed::net
