// Frames and the opening handshake of WebSocket (RFC 6455), as pure functions. A message is one frame here:
// fragments are refused, because the only clients are tunnels, which never send any.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>

#include "net/http_message.h"

namespace fireweed::net {

enum class WebSocketOpcode : uint8_t {
  kContinuation = 0,
  kText = 1,
  kBinary = 2,
  kClose = 8,
  kPing = 9,
  kPong = 10,
};

// Status codes of close frames. 4003 is that of Google's tunnels.
inline constexpr uint16_t kCloseNormal = 1000;
inline constexpr uint16_t kCloseProtocolError = 1002;
inline constexpr uint16_t kCloseUnsupported = 1003;
inline constexpr uint16_t kCloseTooLarge = 1009;
inline constexpr uint16_t kCloseNoBackend = 4003;

struct WebSocketFrame {
  WebSocketOpcode opcode = WebSocketOpcode::kBinary;
  std::string_view payload;  // unmasked; a view into the bytes that were parsed
  size_t size = 0;           // of the whole frame
};
struct NeedMoreBytes {};
struct WebSocketViolation {
  uint16_t close_code = kCloseProtocolError;
  std::string_view why;
};

// A client masks its frames, a server does not.
enum class WebSocketPeer { kClient, kServer };

// The first frame of `bytes`, sent by `from`; its payload is unmasked in place. A violation is reported as soon as the
// header shows it, before the payload has arrived.
std::variant<WebSocketFrame, NeedMoreBytes, WebSocketViolation> ParseWebSocketFrame(
    std::span<char> bytes, WebSocketPeer from, size_t max_payload);

// Appends a frame as a server sends it.
void AppendWebSocketFrame(std::string& out, WebSocketOpcode opcode, std::string_view payload);
// The same as a client sends it.
void AppendMaskedWebSocketFrame(std::string& out, WebSocketOpcode opcode, std::string_view payload,
                                uint32_t mask);
// The payload of a close frame. `reason` is clipped to what a control frame may hold.
std::string WebSocketClosePayload(uint16_t code, std::string_view reason);

// The header lines of the 101 answer to an opening handshake for `subprotocol`, each with its line end. Throws
// Failure(kInvalid) where the request is not a handshake for it.
std::string AcceptWebSocket(const Request& request, std::string_view subprotocol);
// The Sec-WebSocket-Accept for a Sec-WebSocket-Key.
std::string WebSocketAcceptKey(std::string_view key);

}  // namespace fireweed::net
