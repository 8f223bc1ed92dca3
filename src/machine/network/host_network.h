// One daemon's share of the host's network: a bridge with a subnet of its own, a firewall table, and forwarding.
// Everything is named after the daemon's id; other daemons' shares are never touched.
#pragma once

#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/unique_fd.h"
#include "machine/network/subnet.h"

namespace fireweed {

struct HostNetworkSettings {
  std::string daemon_id;   // [a-z0-9], at least 8 characters
  std::string state_file;  // remembers the subnet across restarts
  std::string
      shared_directory;  // of all daemons on the host: who needs forwarding, and what it was before
  std::vector<Subnet> candidates;  // the first free one is taken
};

// The firewall's rules for a bridge and its subnet, as `nft -f` reads them. Pure.
std::string FirewallRules(const std::string& table, const std::string& bridge,
                          const Subnet& subnet);

// Any thread. Calls may block: they start nft and ip.
class HostNetwork {
 public:
  explicit HostNetwork(HostNetworkSettings settings);

  // Makes bridge, rules and forwarding where they are missing, or finds them. Cheap once done by this process.
  Result<Subnet> Ensure();

  // Joins a namespace to the bridge: `eth0` with this host number's address, a default route, 169.254.169.254 on the
  // loopback. Replaces a link of the same number that is left over.
  Result<> Attach(uint32_t host, int namespace_fd);
  Result<> Detach(uint32_t host);  // gone already is success

  // Removes bridge and rules; the last daemon on the host puts forwarding back as it was. Safe to repeat.
  Result<> Remove();

  const std::string& bridge() const { return bridge_; }
  const std::string& table() const { return table_; }

 private:
  Result<Subnet> ClaimSubnet() const;
  Result<Subnet> ChooseSubnet() const;
  Result<> EnsureBridge(const Subnet& subnet) const;
  std::string LinkName(uint32_t host) const;

  const HostNetworkSettings settings_;
  const std::string bridge_;
  const std::string table_;
  std::mutex mu_;
  std::optional<Subnet> subnet_;  // guarded by mu_; there once ensured
};

// Daemons of one host take turns at what they share; the turn ends with the descriptor. Blocks.
Result<UniqueFd> TakeTurn(const std::string& shared_directory);

// Who on this host needs packets forwarded. The first one notes what the kernel's switch was, the last one to leave puts
// it back.
class ForwardingClaims {
 public:
  // `kernel_switch` is net.ipv4.ip_forward, or a file that plays it.
  ForwardingClaims(std::string directory, std::string kernel_switch)
      : directory_(std::move(directory)), switch_(std::move(kernel_switch)) {}
  Result<> Claim(const std::string& who);
  Result<> Release(const std::string& who);  // no claim is success

 private:
  std::string directory_;
  std::string switch_;
};

}  // namespace fireweed
