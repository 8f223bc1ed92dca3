#include "net/websocket.h"

#include <array>

#include "base/bytes.h"
#include "base/checksum.h"
#include "base/error.h"

namespace fireweed::net {
namespace {

constexpr size_t kMaxControlPayload = 125;
constexpr size_t kKeyBytes = 16;
constexpr std::string_view kKeySuffix = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
constexpr uint8_t kFinal = 0x80;
constexpr uint8_t kReserved = 0x70;
constexpr uint8_t kMasked = 0x80;
constexpr uint8_t kLength16 = 126;
constexpr uint8_t kLength64 = 127;

bool IsControl(uint8_t opcode) { return opcode >= 8; }

uint64_t BigEndian(std::span<const char> bytes) {
  uint64_t value = 0;
  for (char byte : bytes) value = value << 8 | static_cast<uint8_t>(byte);
  return value;
}

void AppendBigEndian(std::string& out, uint64_t value, int bytes) {
  for (int shift = 8 * (bytes - 1); shift >= 0; shift -= 8) {
    out.push_back(static_cast<char>(value >> shift & 0xff));
  }
}

void AppendHeader(std::string& out, WebSocketOpcode opcode, size_t size, uint8_t mask_bit) {
  out.push_back(static_cast<char>(kFinal | static_cast<uint8_t>(opcode)));
  if (size < kLength16) {
    out.push_back(static_cast<char>(mask_bit | size));
  } else if (size <= 0xffff) {
    out.push_back(static_cast<char>(mask_bit | kLength16));
    AppendBigEndian(out, size, 2);
  } else {
    out.push_back(static_cast<char>(mask_bit | kLength64));
    AppendBigEndian(out, size, 8);
  }
}

// The violation that the first two bytes of a header show; empty: none.
std::string_view HeaderFault(uint8_t first, uint8_t second, WebSocketPeer from) {
  const uint8_t opcode = first & 0x0f;
  if (first & kReserved) return "reserved bits are set";
  if (opcode > 10 || (opcode > 2 && opcode < 8)) return "unknown opcode";
  if (!(first & kFinal) || opcode == 0) return "fragmented messages are not supported";
  if (((second & kMasked) != 0) != (from == WebSocketPeer::kClient)) return "wrong masking";
  if (IsControl(opcode) && (second & 0x7f) > kMaxControlPayload) return "long control frame";
  return {};
}

// Whether a comma-separated header value has `token`, whatever its case.
bool HasToken(std::string_view list, std::string_view token) {
  while (!list.empty()) {
    size_t comma = list.find(',');
    if (EqualIgnoreCase(Trim(list.substr(0, comma)), token)) return true;
    list = comma == std::string_view::npos ? std::string_view() : list.substr(comma + 1);
  }
  return false;
}

std::string_view HeaderOr(const Request& request, std::string_view name) {
  return request.Header(name).value_or(std::string_view());
}

}  // namespace

std::variant<WebSocketFrame, NeedMoreBytes, WebSocketViolation> ParseWebSocketFrame(
    std::span<char> bytes, WebSocketPeer from, size_t max_payload) {
  if (bytes.size() < 2) return NeedMoreBytes{};
  const uint8_t first = static_cast<uint8_t>(bytes[0]);
  const uint8_t second = static_cast<uint8_t>(bytes[1]);
  std::string_view fault = HeaderFault(first, second, from);
  if (!fault.empty()) return WebSocketViolation{kCloseProtocolError, fault};
  size_t header = 2;
  uint64_t length = second & 0x7f;
  if (length >= kLength16) {
    const size_t width = length == kLength16 ? 2 : 8;
    if (bytes.size() < header + width) return NeedMoreBytes{};
    length = BigEndian(bytes.subspan(header, width));
    header += width;
  }
  if (length > max_payload) return WebSocketViolation{kCloseTooLarge, "the message is too large"};
  std::array<char, 4> mask{};
  if (second & kMasked) {
    if (bytes.size() < header + mask.size()) return NeedMoreBytes{};
    for (size_t i = 0; i < mask.size(); ++i) mask[i] = bytes[header + i];
    header += mask.size();
  }
  const size_t size = static_cast<size_t>(length);
  if (bytes.size() - header < size) return NeedMoreBytes{};
  std::span<char> payload = bytes.subspan(header, size);
  if (second & kMasked) {
    for (size_t i = 0; i < size; ++i) payload[i] = static_cast<char>(payload[i] ^ mask[i % 4]);
  }
  return WebSocketFrame{
      static_cast<WebSocketOpcode>(first & 0x0f), {payload.data(), payload.size()}, header + size};
}

void AppendWebSocketFrame(std::string& out, WebSocketOpcode opcode, std::string_view payload) {
  AppendHeader(out, opcode, payload.size(), 0);
  out.append(payload);
}

void AppendMaskedWebSocketFrame(std::string& out, WebSocketOpcode opcode, std::string_view payload,
                                uint32_t mask) {
  AppendHeader(out, opcode, payload.size(), kMasked);
  const size_t begin = out.size();
  AppendBigEndian(out, mask, 4);
  for (size_t i = 0; i < payload.size(); ++i) {
    out.push_back(static_cast<char>(payload[i] ^ out[begin + i % 4]));
  }
}

std::string WebSocketClosePayload(uint16_t code, std::string_view reason) {
  std::string payload;
  AppendBigEndian(payload, code, 2);
  payload.append(reason.substr(0, kMaxControlPayload - 2));
  return payload;
}

std::string AcceptWebSocket(const Request& request, std::string_view subprotocol) {
  if (request.method != "GET" || !HasToken(HeaderOr(request, "Upgrade"), "websocket") ||
      !HasToken(HeaderOr(request, "Connection"), "upgrade")) {
    throw Failure(Code::kInvalid, "this address takes WebSocket connections only");
  }
  if (HeaderOr(request, "Sec-WebSocket-Version") != "13") {
    throw Failure(Code::kInvalid, "Sec-WebSocket-Version must be 13");
  }
  std::string_view key = HeaderOr(request, "Sec-WebSocket-Key");
  std::optional<std::string> nonce = Base64Decode(key);
  if (!nonce || nonce->size() != kKeyBytes) {
    throw Failure(Code::kInvalid, "Sec-WebSocket-Key must be 16 bytes in base64");
  }
  if (!HasToken(HeaderOr(request, "Sec-WebSocket-Protocol"), subprotocol)) {
    throw Failure(Code::kInvalid, "Sec-WebSocket-Protocol must offer " + std::string(subprotocol));
  }
  return "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: " +
         WebSocketAcceptKey(key) + "\r\nSec-WebSocket-Protocol: " + std::string(subprotocol) +
         "\r\n";
}

std::string WebSocketAcceptKey(std::string_view key) {
  return Base64Encode(Hash(Digest::kSha1, std::string(key) + std::string(kKeySuffix)));
}

}  // namespace fireweed::net
