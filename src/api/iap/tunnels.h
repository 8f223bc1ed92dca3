// Tunnels of Identity-Aware Proxy: the two addresses that `gcloud compute start-iap-tunnel` connects to. Both switch to
// WebSocket; net/relay_tunnels.h serves what follows.
#pragma once

#include <string>
#include <string_view>

#include "api/method.h"

namespace fireweed::api::iap {

inline constexpr std::string_view kTunnelHosts[] = {"tunnel.cloudproxy.app"};
inline constexpr Service kTunnels{.name = "iaptunnel",
                                  .version = "v4",
                                  .title = "Identity-Aware Proxy TCP tunnels",
                                  .hosts = kTunnelHosts,
                                  .documented = false};

struct ConnectTunnel {
  std::string project, zone, instance, interface;
  int32_t port = 0;
  std::string host;  // of a destination that is not an instance
};
struct ReconnectTunnel {
  std::string sid;
  int64_t ack = 0;
};

// The handlers check permissions: the resource is named by the query.
inline constexpr Method<ConnectTunnel, Empty> kConnectTunnel{kTunnels, Verb::kGet, "/v4/connect",
                                                             "iaptunnel.connect"};
inline constexpr Method<ReconnectTunnel, Empty> kReconnectTunnel{
    kTunnels, Verb::kGet, "/v4/reconnect", "iaptunnel.reconnect"};

}  // namespace fireweed::api::iap

namespace fireweed {
template <>
inline constexpr auto kFields<api::iap::ConnectTunnel> = [](auto...) {
  return Fields{F("project", &api::iap::ConnectTunnel::project, kQuery),
                F("zone", &api::iap::ConnectTunnel::zone, kQuery),
                F("instance", &api::iap::ConnectTunnel::instance, kQuery),
                F("interface", &api::iap::ConnectTunnel::interface, kQuery),
                F("port", &api::iap::ConnectTunnel::port, kQuery),
                F("host", &api::iap::ConnectTunnel::host, kQuery)};
};
template <>
inline constexpr auto kFields<api::iap::ReconnectTunnel> = [](auto...) {
  return Fields{F("sid", &api::iap::ReconnectTunnel::sid, kQuery),
                F("ack", &api::iap::ReconnectTunnel::ack, kQuery)};
};
}  // namespace fireweed
