#include "net/request_target.h"

#include <algorithm>
#include <charconv>

#include "base/bytes.h"

namespace fireweed::net {
namespace {

constexpr size_t kMaxHostLength = 253;

bool IsHostCharacter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
         c == '.' || c == '_';
}

bool IsIpv6Character(char c) {
  return (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F') || (c >= '0' && c <= '9') || c == ':' ||
         c == '.';
}

std::optional<uint16_t> ParsePort(std::string_view text) {
  uint16_t port = 0;
  const char* end = text.data() + text.size();
  auto [at, error] = std::from_chars(text.data(), end, port);
  if (error != std::errc() || at != end || port == 0) return std::nullopt;
  return port;
}

}  // namespace

std::optional<Authority> ParseAuthority(std::string_view text) {
  Authority result;
  std::string_view rest;
  if (text.starts_with('[')) {
    size_t close = text.find(']');
    if (close == std::string_view::npos) return std::nullopt;
    result.host = text.substr(1, close - 1);
    rest = text.substr(close + 1);
    if (!std::all_of(result.host.begin(), result.host.end(), IsIpv6Character)) return std::nullopt;
  } else {
    size_t colon = text.find(':');
    result.host = text.substr(0, colon);
    rest = colon == std::string_view::npos ? std::string_view() : text.substr(colon);
    if (!std::all_of(result.host.begin(), result.host.end(), IsHostCharacter)) return std::nullopt;
  }
  if (result.host.empty() || result.host.size() > kMaxHostLength) return std::nullopt;
  if (rest.empty()) return result;
  if (rest.front() != ':') return std::nullopt;
  result.port = ParsePort(rest.substr(1));
  if (!result.port) return std::nullopt;
  return result;
}

std::optional<RequestTarget> ParseTarget(std::string_view target) {
  RequestTarget result;
  if (target == "*") {
    result.path = target;
    return result;
  }
  if (target.find('#') != std::string_view::npos) return std::nullopt;
  std::string_view rest = target;
  if (!rest.starts_with('/')) {
    size_t scheme = rest.find("://");
    if (scheme == std::string_view::npos) return std::nullopt;
    result.https = EqualIgnoreCase(rest.substr(0, scheme), "https");
    if (!result.https && !EqualIgnoreCase(rest.substr(0, scheme), "http")) return std::nullopt;
    rest.remove_prefix(scheme + 3);
    size_t end = std::min(rest.find_first_of("/?"), rest.size());
    result.authority = rest.substr(0, end);
    if (!ParseAuthority(result.authority)) return std::nullopt;
    rest.remove_prefix(end);
  }
  size_t question = rest.find('?');
  result.path = rest.substr(0, question);
  if (result.path.empty()) result.path = "/";
  if (question != std::string_view::npos) result.query = rest.substr(question + 1);
  return result;
}

}  // namespace fireweed::net
