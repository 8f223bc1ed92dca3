// Bytes as text: hex, base64, percent-encoding; and views between strings and byte spans.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace fireweed {

inline std::span<const std::byte> AsBytes(std::string_view text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}
inline std::string_view AsText(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

std::string HexEncode(std::string_view bytes);
std::optional<std::string> HexDecode(std::string_view text);

enum class Base64 { kStandard, kUrl };  // kStandard pads, kUrl does not
std::string Base64Encode(std::string_view bytes, Base64 alphabet = Base64::kStandard);
// Takes either alphabet, with or without padding; refuses anything else.
std::optional<std::string> Base64Decode(std::string_view text);

// Encodes everything but unreserved characters (RFC 3986), '/' included.
std::string PercentEncode(std::string_view text);
// A broken escape is nullopt. '+' stays '+' unless `plus_is_space` (form bodies and query strings).
enum class Plus { kLiteral, kSpace };
std::optional<std::string> PercentDecode(std::string_view text, Plus plus = Plus::kLiteral);

// Compares in time that depends on the lengths only: tokens and signatures.
bool EqualConstantTime(std::string_view a, std::string_view b);

bool EqualIgnoreCase(std::string_view a, std::string_view b);
std::string ToLower(std::string_view text);
std::string_view Trim(std::string_view text);

}  // namespace fireweed
