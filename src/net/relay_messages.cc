#include "net/relay_messages.h"

namespace fireweed::net {
namespace {

constexpr size_t kTagSize = 2;
constexpr size_t kLengthSize = 4;
constexpr size_t kCountSize = 8;

uint64_t BigEndian(std::string_view bytes) {
  uint64_t value = 0;
  for (char byte : bytes) value = value << 8 | static_cast<uint8_t>(byte);
  return value;
}

void AppendBigEndian(std::string& out, uint64_t value, size_t bytes) {
  for (size_t left = bytes; left > 0; --left) {
    out.push_back(static_cast<char>(value >> (8 * (left - 1)) & 0xff));
  }
}

}  // namespace

std::optional<RelayMessage> ParseRelayMessage(std::string_view message) {
  if (message.size() < kTagSize) return std::nullopt;
  RelayMessage parsed;
  parsed.tag = static_cast<RelayTag>(BigEndian(message.substr(0, kTagSize)));
  message.remove_prefix(kTagSize);
  switch (parsed.tag) {
    case RelayTag::kData:
    case RelayTag::kConnectSuccessSid: {
      if (message.size() < kLengthSize) return std::nullopt;
      const uint64_t length = BigEndian(message.substr(0, kLengthSize));
      message.remove_prefix(kLengthSize);
      if (length != message.size() || length > kMaxRelayData) return std::nullopt;
      parsed.bytes = message;
      return parsed;
    }
    case RelayTag::kAck:
    case RelayTag::kReconnectSuccessAck:
      if (message.size() != kCountSize) return std::nullopt;
      parsed.count = BigEndian(message);
      return parsed;
  }
  return parsed;
}

std::string FormatRelayBytes(RelayTag tag, std::string_view bytes) {
  std::string out;
  out.reserve(kTagSize + kLengthSize + bytes.size());
  AppendBigEndian(out, static_cast<uint64_t>(tag), kTagSize);
  AppendBigEndian(out, bytes.size(), kLengthSize);
  out.append(bytes);
  return out;
}

std::string FormatRelayCount(RelayTag tag, uint64_t count) {
  std::string out;
  AppendBigEndian(out, static_cast<uint64_t>(tag), kTagSize);
  AppendBigEndian(out, count, kCountSize);
  return out;
}

}  // namespace fireweed::net
