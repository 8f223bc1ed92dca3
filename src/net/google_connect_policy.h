// What for: which hosts the proxy answers itself, which it passes on, and who may use it.
// Google's API names are taken here whoever asks; every other host is tunnelled, through the proxy
// that was set before where there is one. The loopback and remote sides name a per-user secret
// (Basic, in the proxy URL); the user name beside it decides whether requests without a credential
// are anonymous or act as a principal. An instance is known by its socket, and reaches the world but
// neither loopback, link-local, this host nor the instances' networks.
// Threads: any; does not block. Options are constant after construction.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "net/http_server.h"
#include "net/ip_network.h"

namespace fireweed::net {

class GoogleConnectPolicy final : public ConnectPolicy {
 public:
  struct Options {
    // Checks a proxy user and secret in constant time. Returns nullopt for a wrong pair, otherwise
    // the principal that requests without a credential act as; empty: they are anonymous. I/O thread.
    std::function<std::optional<std::string>(std::string_view user, std::string_view secret)> admit;
    // Where Google's names are served when not here: their bytes go there as they are, so that TLS
    // is between the client and that daemon. For a machine that uses another one's daemon.
    std::optional<Tunnel> served_at;
    std::optional<Upstream> upstream;
    // Hosts that do not go through the upstream: names with all below them, or addresses and
    // networks.
    std::vector<std::string> not_upstream;
    // What instances must not reach besides loopback, link-local and this host's addresses: the
    // networks of instances.
    std::vector<IpNetwork> instance_networks;
  };
  explicit GoogleConnectPolicy(Options options) : options_(std::move(options)) {}

  ConnectVerdict Decide(const Request& request, std::string_view host, uint16_t port) override;
  bool MayReach(const Origin& origin, std::string_view address) override;

 private:
  // What `admit` returns for the pair in Proxy-Authorization; nullopt without a readable pair.
  std::optional<std::string> Admit(const Request& request) const;
  bool BypassesUpstream(std::string_view host) const;

  const Options options_;
};

// Whether a host is Google's and answered here: googleapis.com, accounts.google.com,
// source.developers.google.com, tunnel.cloudproxy.app, and all names below these. Lower case.
bool IsInterceptedHost(std::string_view host);

// Whether a request comes from another machine, past this host and its instances: over TLS, from an address that no
// interface of this host has. Any thread; does not block.
bool IsFromAnotherMachine(const Request& request);

}  // namespace fireweed::net
