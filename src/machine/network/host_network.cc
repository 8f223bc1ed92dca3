#include "machine/network/host_network.h"

#include <fmt/format.h>

#include "base/process.h"
#include "machine/kept/state_file.h"
#include "machine/network/inside_ports.h"
#include "machine/network/netlink.h"

namespace fireweed {
namespace {

constexpr Duration kToolPatience = std::chrono::seconds(30);
constexpr std::string_view kBridgePrefix = "fwbr-";
constexpr const char* kForwardingSwitch = "/proc/sys/net/ipv4/ip_forward";

Result<std::string> RunTool(std::vector<std::string> argv, std::string_view input = {}) {
  Result<ProgramOutcome> outcome = RunProgram({.argv = argv}, kToolPatience, input);
  if (!outcome.ok()) return outcome.error();
  if (!outcome->ok()) {
    return Error{Code::kUnavailable, "", fmt::format("{}: {}", argv[0], outcome->error)};
  }
  return std::move(outcome->output);
}

// Links have at most 15 characters.
std::string ShortId(const std::string& daemon_id) { return daemon_id.substr(0, 8); }

Result<> SetUpInside(Ipv4 address, const Subnet& subnet) {
  Result<Netlink> netlink = Netlink::Open();
  if (!netlink.ok()) return netlink.error();
  Result<int> loopback = netlink->LinkIndex("lo");
  Result<int> ethernet = netlink->LinkIndex("eth0");
  if (!loopback.ok()) return loopback.error();
  if (!ethernet.ok()) return ethernet.error();
  Result<> done = netlink->SetUp(*loopback);
  if (done.ok()) done = netlink->AddAddress(*loopback, kMetadataAddress, 32);
  if (done.ok()) done = netlink->AddAddress(*ethernet, address, subnet.prefix_length);
  if (done.ok()) done = netlink->SetUp(*ethernet);
  if (done.ok()) done = netlink->AddDefaultRoute(subnet.gateway());
  // A kernel that cannot: then the guest does without the ports, not without the metadata server.
  (void)LeadInsidePorts();
  return done;
}

}  // namespace

std::string FirewallRules(const std::string& table, const std::string& bridge,
                          const Subnet& subnet) {
  // Declared and deleted first, so that loading it again replaces it in one transaction.
  return fmt::format(R"(table inet {0}
delete table inet {0}
table inet {0} {{
  chain input {{
    type filter hook input priority filter; policy accept;
    iifname "{1}" ct state established,related accept
    iifname "{1}" icmp type echo-request accept
    iifname "{1}" reject with icmpx type admin-prohibited
  }}
  chain forward {{
    type filter hook forward priority filter; policy accept;
    iifname "{1}" oifname "{1}" accept
    iifname "{1}" ip saddr != {2} drop
    iifname "{1}" oifname "{3}*" reject with icmpx type admin-prohibited
    iifname "{1}" ip daddr 169.254.0.0/16 reject with icmpx type admin-prohibited
    iifname "{1}" accept
    oifname "{1}" ct state established,related accept
    oifname "{1}" reject with icmpx type admin-prohibited
  }}
  chain postrouting {{
    type nat hook postrouting priority srcnat; policy accept;
    ip saddr {2} oifname != "{1}" masquerade
  }}
}}
)",
                     table, bridge, FormatSubnet(subnet), kBridgePrefix);
}

HostNetwork::HostNetwork(HostNetworkSettings settings)
    : settings_(std::move(settings)),
      bridge_(fmt::format("{}{}", kBridgePrefix, ShortId(settings_.daemon_id))),
      table_(fmt::format("fireweed_{}", settings_.daemon_id)) {}

std::string HostNetwork::LinkName(uint32_t host) const {
  return fmt::format("fw{}-{:x}", ShortId(settings_.daemon_id), host);
}

Result<Subnet> HostNetwork::Ensure() {
  std::lock_guard lock(mu_);
  if (subnet_) return *subnet_;
  Result<Subnet> subnet = ClaimSubnet();
  if (!subnet.ok()) return subnet;
  Result<std::string> loaded = RunTool({"nft", "-f", "-"}, FirewallRules(table_, bridge_, *subnet));
  if (!loaded.ok()) return loaded.error();
  Result<> done =
      ForwardingClaims(settings_.shared_directory, kForwardingSwitch).Claim(settings_.daemon_id);
  if (!done.ok()) return done.error();
  subnet_ = *subnet;
  return *subnet;
}

// A subnet is taken once a bridge has an address in it; until then nobody else may choose.
Result<Subnet> HostNetwork::ClaimSubnet() const {
  Result<UniqueFd> turn = TakeTurn(settings_.shared_directory);
  if (!turn.ok()) return turn.error();
  Result<Subnet> subnet = ChooseSubnet();
  if (!subnet.ok()) return subnet;
  if (Result<> bridged = EnsureBridge(*subnet); !bridged.ok()) return bridged.error();
  return subnet;
}

Result<Subnet> HostNetwork::ChooseSubnet() const {
  if (std::optional<std::string> text = ReadStateFile(settings_.state_file)) {
    if (std::optional<Subnet> subnet = ParseSubnet(*text)) return *subnet;
  }
  Result<std::string> routes = RunTool({"ip", "-4", "route", "show", "table", "all"});
  if (!routes.ok()) return routes.error();
  std::optional<Subnet> subnet = PickSubnet(settings_.candidates, SubnetsOfRoutes(*routes));
  if (!subnet)
    return Error{Code::kExhausted, "", "every subnet for instances is in use on this host"};
  Result<> written = WriteStateFile(settings_.state_file, FormatSubnet(*subnet));
  if (!written.ok()) return written.error();
  return *subnet;
}

Result<> HostNetwork::EnsureBridge(const Subnet& subnet) const {
  Result<Netlink> netlink = Netlink::Open();
  if (!netlink.ok()) return netlink.error();
  Result<int> index = netlink->LinkIndex(bridge_);
  if (!index.ok()) {
    if (Result<> added = netlink->AddBridge(bridge_); !added.ok()) return added;
    index = netlink->LinkIndex(bridge_);
    if (!index.ok()) return index.error();
  }
  Result<> done = netlink->AddAddress(*index, subnet.gateway(), subnet.prefix_length);
  if (!done.ok()) return done;
  return netlink->SetUp(*index);
}

Result<> HostNetwork::Attach(uint32_t host, int namespace_fd) {
  Result<Subnet> subnet = Ensure();
  if (!subnet.ok()) return subnet.error();
  Result<Netlink> netlink = Netlink::Open();
  if (!netlink.ok()) return netlink.error();
  Result<int> bridge = netlink->LinkIndex(bridge_);
  if (!bridge.ok()) return bridge.error();
  std::string link = LinkName(host);
  Mac mac = MacOf(subnet->base + host);
  Result<> added = netlink->AddVeth(link, *bridge, "eth0", namespace_fd, mac);
  if (!added.ok() && added.error().code == Code::kExists) {
    // Of an earlier boot whose namespace the kernel has not taken down yet.
    if (Result<> deleted = netlink->DeleteLink(link); !deleted.ok()) return deleted;
    added = netlink->AddVeth(link, *bridge, "eth0", namespace_fd, mac);
  }
  if (!added.ok()) return added;
  return InNetwork(namespace_fd, [&] { return SetUpInside(subnet->base + host, *subnet); });
}

Result<> HostNetwork::Detach(uint32_t host) {
  Result<Netlink> netlink = Netlink::Open();
  if (!netlink.ok()) return netlink.error();
  return netlink->DeleteLink(LinkName(host));
}

Result<> HostNetwork::Remove() {
  std::lock_guard lock(mu_);
  subnet_.reset();
  Result<Netlink> netlink = Netlink::Open();
  if (!netlink.ok()) return netlink.error();
  Result<> first = netlink->DeleteLink(bridge_);
  // Declaring it makes deleting one that is not there no error.
  Result<std::string> rules =
      RunTool({"nft", "-f", "-"}, fmt::format("table inet {0}\ndelete table inet {0}\n", table_));
  if (first.ok() && !rules.ok()) first = rules.error();
  Result<> released =
      ForwardingClaims(settings_.shared_directory, kForwardingSwitch).Release(settings_.daemon_id);
  if (first.ok() && released.ok()) (void)RemoveTree(settings_.state_file);
  return first.ok() ? released : first;
}

}  // namespace fireweed
