#include "net/url.h"

#include <algorithm>

#include "base/bytes.h"
#include "net/request_target.h"

namespace fireweed::net {
namespace {

constexpr uint16_t kHttpPort = 80, kHttpsPort = 443;

bool IsPrintable(char c) { return c > ' ' && c != 127; }

}  // namespace

std::string Url::Authority() const {
  std::string text = host.find(':') == std::string::npos ? host : "[" + host + "]";
  if (port != (https ? kHttpsPort : kHttpPort)) text += ":" + std::to_string(port);
  return text;
}

std::optional<Url> ParseUrl(std::string_view text) {
  if (!std::all_of(text.begin(), text.end(), IsPrintable)) return std::nullopt;
  Url url;
  size_t scheme = text.find("://");
  if (scheme == std::string_view::npos) return std::nullopt;
  url.https = EqualIgnoreCase(text.substr(0, scheme), "https");
  if (!url.https && !EqualIgnoreCase(text.substr(0, scheme), "http")) return std::nullopt;
  std::string_view rest = text.substr(scheme + 3);
  rest = rest.substr(0, rest.find('#'));
  size_t end = std::min(rest.find_first_of("/?"), rest.size());
  std::string_view authority = rest.substr(0, end);
  if (size_t at = authority.rfind('@'); at != std::string_view::npos) {
    std::optional<std::string> user = PercentDecode(authority.substr(0, at));
    if (!user) return std::nullopt;
    url.user_info = *user;
    authority.remove_prefix(at + 1);
  }
  std::optional<net::Authority> parsed = ParseAuthority(authority);
  if (!parsed) return std::nullopt;
  url.host = ToLower(parsed->host);
  url.port = parsed->port.value_or(url.https ? kHttpsPort : kHttpPort);
  url.target = std::string(rest.substr(end));
  if (!url.target.starts_with('/')) url.target.insert(0, "/");
  return url;
}

}  // namespace fireweed::net
