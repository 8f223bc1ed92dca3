#include "net/google_connect_policy.h"

#include <ifaddrs.h>
#include <netdb.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <memory>

#include "base/bytes.h"

namespace fireweed::net {
namespace {

constexpr std::array<std::string_view, 4> kIntercepted = {"googleapis.com", "accounts.google.com",
                                                          "source.developers.google.com",
                                                          "tunnel.cloudproxy.app"};

// Not even by a name that resolves there: loopback, link-local with the metadata address, "this
// network", multicast, and their IPv6 kin.
constexpr std::array<std::string_view, 10> kInnermost = {
    "127.0.0.0/8", "0.0.0.0/8", "169.254.0.0/16", "224.0.0.0/4", "255.255.255.255",
    "::/128",      "::1/128",   "fe80::/10",      "ff00::/8",    "64:ff9b::/96"};

bool IsBelow(std::string_view host, std::string_view domain) {
  if (host == domain) return true;
  return host.size() > domain.size() + 1 && host.ends_with(domain) &&
         host[host.size() - domain.size() - 1] == '.';
}

bool IsInnermost(std::string_view address) {
  return std::any_of(kInnermost.begin(), kInnermost.end(), [&](std::string_view network) {
    return IpNetwork::Parse(network)->Contains(address);
  });
}

// An address of one of this host's interfaces, as it is now.
bool IsThisHost(std::string_view address) {
  ifaddrs* found = nullptr;
  if (getifaddrs(&found) != 0) return true;  // when in doubt, no
  std::unique_ptr<ifaddrs, decltype(&freeifaddrs)> list(found, freeifaddrs);
  for (ifaddrs* entry = found; entry != nullptr; entry = entry->ifa_next) {
    if (entry->ifa_addr == nullptr) continue;
    int family = entry->ifa_addr->sa_family;
    if (family != AF_INET && family != AF_INET6) continue;
    socklen_t size = family == AF_INET ? sizeof(sockaddr_in) : sizeof(sockaddr_in6);
    char text[NI_MAXHOST];
    if (getnameinfo(entry->ifa_addr, size, text, sizeof text, nullptr, 0, NI_NUMERICHOST) != 0) {
      continue;
    }
    std::optional<IpNetwork> own = IpNetwork::Parse(std::string_view(text));
    if (own && own->Contains(address)) return true;
  }
  return false;
}

}  // namespace

bool IsInterceptedHost(std::string_view host) {
  return std::any_of(kIntercepted.begin(), kIntercepted.end(),
                     [&](std::string_view domain) { return IsBelow(host, domain); });
}

bool IsFromAnotherMachine(const Request& request) {
  return request.tls && request.origin->kind != Origin::Kind::kInstance &&
         !request.peer_address.empty() && !IsInnermost(request.peer_address) &&
         !IsThisHost(request.peer_address);
}

std::optional<std::string> GoogleConnectPolicy::Admit(const Request& request) const {
  std::string_view value = request.Header("Proxy-Authorization").value_or("");
  size_t space = value.find(' ');
  if (space == std::string_view::npos || !EqualIgnoreCase(value.substr(0, space), "basic")) {
    return std::nullopt;
  }
  std::optional<std::string> pair = Base64Decode(Trim(value.substr(space + 1)));
  if (!pair) return std::nullopt;
  size_t colon = pair->find(':');
  if (colon == std::string::npos || !options_.admit) return std::nullopt;
  std::string_view text = *pair;
  return options_.admit(text.substr(0, colon), text.substr(colon + 1));
}

bool GoogleConnectPolicy::BypassesUpstream(std::string_view host) const {
  return std::any_of(options_.not_upstream.begin(), options_.not_upstream.end(),
                     [&](std::string_view entry) {
                       if (std::optional<IpNetwork> network = IpNetwork::Parse(entry)) {
                         return network->Contains(host);
                       }
                       while (entry.starts_with('.')) entry.remove_prefix(1);
                       return entry == "*" || (!entry.empty() && IsBelow(host, entry));
                     });
}

ConnectVerdict GoogleConnectPolicy::Decide(const Request& request, std::string_view host,
                                           uint16_t port) {
  const bool instance = request.origin->kind == Origin::Kind::kInstance;
  std::optional<std::string> principal = instance ? std::string() : Admit(request);
  if (!principal) {
    return Error{Code::kUnauthenticated, "",
                 "the proxy needs this user's secret: run eval \"$(fireweed env)\" again"};
  }
  if (IsInterceptedHost(host) && options_.served_at) return *options_.served_at;
  if (IsInterceptedHost(host)) return Intercept{*std::move(principal)};
  Tunnel tunnel;
  tunnel.host = std::string(host);
  tunnel.port = port;
  if (options_.upstream && !BypassesUpstream(host)) tunnel.through = options_.upstream;
  return tunnel;
}

bool GoogleConnectPolicy::MayReach(const Origin& origin, std::string_view address) {
  // The local user can reach all of this without us.
  if (origin.kind == Origin::Kind::kLocal) return true;
  if (IsInnermost(address) || IsThisHost(address)) return false;
  if (origin.kind == Origin::Kind::kRemote) return true;
  return std::none_of(options_.instance_networks.begin(), options_.instance_networks.end(),
                      [&](const IpNetwork& network) { return network.Contains(address); });
}

}  // namespace fireweed::net
