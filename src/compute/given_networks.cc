#include "compute/given_networks.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/bytes.h"
#include "base/checksum.h"
#include "compute/catalogue.h"
#include "compute/fingerprint.h"
#include "compute/links.h"

namespace fireweed::compute {
namespace {

namespace c = api::compute;

constexpr const char* kEpoch = "1969-12-31T16:00:00.000-08:00";  // as Google shows it

// The same id for the same link, always: clients keep ids.
int64_t IdOf(const std::string& link) {
  return 1'000'000 + static_cast<int64_t>(Crc32c(AsBytes(link)));
}

struct GivenRule {
  const char *name, *description, *protocol, *port, *range;
};
constexpr GivenRule kRules[] = {
    {"default-allow-icmp", "Allow ICMP from anywhere", "icmp", "", "0.0.0.0/0"},
    {"default-allow-internal", "Allow internal traffic on the default network", "all", "",
     "10.128.0.0/9"},
    {"default-allow-rdp", "Allow RDP from anywhere", "tcp", "3389", "0.0.0.0/0"},
    {"default-allow-ssh", "Allow SSH from anywhere", "tcp", "22", "0.0.0.0/0"},
};

}  // namespace

c::Network DefaultNetwork(const std::string& project) {
  std::string link = ScopedLink(project, "global", "networks", "default");
  return {.id = IdOf(link),
          .creationTimestamp = kEpoch,
          .name = "default",
          .description = "Default network for the project",
          .autoCreateSubnetworks = true,
          .subnetworks = AutoSubnetworkLinks(project, "default"),
          .routingConfig = {"REGIONAL"},
          .selfLink = link};
}

std::vector<std::string> AutoSubnetworkLinks(const std::string& project,
                                             const std::string& network) {
  std::vector<std::string> links;
  for (const std::string& region : Catalogue::RegionNames()) {
    links.push_back(ScopedLink(project, "regions/" + region, "subnetworks", network));
  }
  return links;
}

c::Subnetwork AutoSubnetwork(const std::string& project, const std::string& network,
                             const std::string& region) {
  std::vector<std::string> regions = Catalogue::RegionNames();
  auto index = std::ranges::find(regions, region) - regions.begin();
  // Three /16 apart, all regions have room in 10.128.0.0/9.
  int64_t second = 128 + index * 3;
  std::string link = ScopedLink(project, "regions/" + region, "subnetworks", network);
  return {.id = IdOf(link),
          .creationTimestamp = kEpoch,
          .name = network,
          .network = ScopedLink(project, "global", "networks", network),
          .ipCidrRange = fmt::format("10.{}.0.0/20", second),
          .gatewayAddress = fmt::format("10.{}.0.1", second),
          .region = RegionLink(project, region),
          .purpose = "PRIVATE",
          .stackType = "IPV4_ONLY",
          .selfLink = link,
          .fingerprint = FingerprintOf(link)};
}

std::vector<c::Firewall> DefaultFirewalls(const std::string& project) {
  std::vector<c::Firewall> rules;
  for (const GivenRule& given : kRules) {
    std::string link = ScopedLink(project, "global", "firewalls", given.name);
    c::FirewallPorts ports{given.protocol, {}};
    if (*given.port) ports.ports = {given.port};
    rules.push_back({.id = IdOf(link),
                     .creationTimestamp = kEpoch,
                     .name = given.name,
                     .description = given.description,
                     .network = ScopedLink(project, "global", "networks", "default"),
                     .direction = "INGRESS",
                     .priority = 65534,
                     .sourceRanges = {given.range},
                     .allowed = {ports},
                     .selfLink = link});
  }
  return rules;
}

}  // namespace fireweed::compute
