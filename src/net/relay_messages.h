// Messages of the tunnels of Identity-Aware Proxy, subprotocol relay.tunnel.cloudproxy.app: each is the payload of one
// binary WebSocket frame. docs/formats/iap-tunnel.md has the layout. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace fireweed::net {

inline constexpr std::string_view kRelaySubprotocol = "relay.tunnel.cloudproxy.app";
inline constexpr size_t kMaxRelayData = 16384;
// A DATA message with the most data. Longer frames are refused.
inline constexpr size_t kMaxRelayMessage = kMaxRelayData + 6;

enum class RelayTag : uint16_t {
  kConnectSuccessSid = 1,
  kReconnectSuccessAck = 2,
  kData = 4,
  kAck = 7,
};

struct RelayMessage {
  RelayTag tag = RelayTag::kData;  // may also be a number that is not named above
  std::string_view bytes;          // of kData and kConnectSuccessSid; a view into the message
  uint64_t count = 0;              // of kAck and kReconnectSuccessAck
};

// Nothing where the message is malformed. Unknown tags are returned as they are, without content.
std::optional<RelayMessage> ParseRelayMessage(std::string_view message);

std::string FormatRelayBytes(RelayTag tag, std::string_view bytes);
std::string FormatRelayCount(RelayTag tag, uint64_t count);

}  // namespace fireweed::net
