#include "compute/networks_service.h"

#include <arpa/inet.h>

#include <charconv>
#include <set>

#include <fmt/format.h>

#include "compute/catalogue.h"
#include "compute/fingerprint.h"
#include "compute/given_networks.h"
#include "compute/labels.h"
#include "compute/records.h"

namespace fireweed::compute {
namespace {

namespace c = api::compute;

struct Cidr {
  uint32_t base = 0;
  int bits = 0;
  std::string Host(uint32_t number) const {
    uint32_t address = base + number;
    return fmt::format("{}.{}.{}.{}", address >> 24, address >> 16 & 255, address >> 8 & 255,
                       address & 255);
  }
};

Cidr ParseCidr(const std::string& field, const std::string& text) {
  size_t slash = text.find('/');
  in_addr address{};
  Cidr cidr;
  bool good =
      slash != text.npos && inet_pton(AF_INET, text.substr(0, slash).c_str(), &address) == 1;
  if (good) {
    auto [end, error] =
        std::from_chars(text.data() + slash + 1, text.data() + text.size(), cidr.bits);
    good = error == std::errc() && end == text.data() + text.size() && cidr.bits >= 4 &&
           cidr.bits <= 29;
  }
  cidr.base = ntohl(address.s_addr);
  if (good) good = (cidr.base & ((uint32_t{1} << (32 - cidr.bits)) - 1)) == 0;
  if (!good) InvalidField(field, text, "Must be a valid IPv4 range in CIDR notation.");
  return cidr;
}

template <class Record, class Visit>
void VisitBelow(Txn& txn, const std::string& prefix, const Visit& visit) {
  txn.ForEach<Record>({.prefix = prefix}, [&](const auto& row) { visit(row.value); });
}

// Networks.

void FitNetwork(Txn&, NetworkRecord& record) {
  c::Network& network = record.resource;
  if (!network.IPv4Range.empty()) {
    InvalidField("resource.IPv4Range", network.IPv4Range,
                 "Legacy networks are not supported; use subnetworks.");
  }
  network.autoCreateSubnetworks = network.autoCreateSubnetworks.value_or(true);
  if (network.routingConfig.routingMode.empty()) network.routingConfig.routingMode = "REGIONAL";
  network.subnetworks.clear();
  if (*network.autoCreateSubnetworks) {
    network.subnetworks = AutoSubnetworkLinks(record.project, network.name);
  }
}

void CheckNetworkUnused(Txn& txn, const NetworkRecord& record) {
  const std::string& link = record.resource.selfLink;
  auto refuse = [&](const std::string& network, const std::string& user) {
    if (network == link) InUse("network", link, user);
  };
  VisitBelow<SubnetworkRecord>(txn, record.project + "/", [&](const SubnetworkRecord& one) {
    refuse(one.resource.network, one.resource.selfLink);
  });
  VisitBelow<FirewallRecord>(txn, record.project + "/", [&](const FirewallRecord& one) {
    refuse(one.resource.network, one.resource.selfLink);
  });
  VisitBelow<RouteRecord>(txn, record.project + "/", [&](const RouteRecord& one) {
    refuse(one.resource.network, one.resource.selfLink);
  });
  VisitBelow<InstanceRecord>(txn, record.project + "/", [&](const InstanceRecord& one) {
    for (const c::NetworkInterface& nic : one.resource.networkInterfaces) {
      refuse(nic.network, one.resource.selfLink);
    }
  });
}

// Subnetworks.

void FitSubnetwork(Txn& txn, SubnetworkRecord& record) {
  c::Subnetwork& subnetwork = record.resource;
  if (subnetwork.network.empty()) InvalidField("resource.network", "", "The field is required.");
  subnetwork.network = NetworkLink(txn, record.project, subnetwork.network);
  Cidr range = ParseCidr("resource.ipCidrRange", subnetwork.ipCidrRange);
  subnetwork.gatewayAddress = range.Host(1);
  subnetwork.region = RegionLink(record.project, LastWord(record.scope));
  if (subnetwork.purpose.empty()) subnetwork.purpose = "PRIVATE";
  if (subnetwork.stackType.empty()) subnetwork.stackType = "IPV4_ONLY";
  subnetwork.fingerprint = FingerprintOf(subnetwork.ipCidrRange + subnetwork.creationTimestamp);
}

void CheckSubnetworkUnused(Txn& txn, const SubnetworkRecord& record) {
  VisitBelow<InstanceRecord>(txn, record.project + "/", [&](const InstanceRecord& one) {
    for (const c::NetworkInterface& nic : one.resource.networkInterfaces) {
      if (nic.subnetwork == record.resource.selfLink) {
        InUse("subnetwork", nic.subnetwork, one.resource.selfLink);
      }
    }
  });
}

std::vector<c::Subnetwork> GivenSubnetworks(Txn& txn, const std::string& project,
                                            const std::string& scope) {
  std::vector<c::Subnetwork> given;
  std::string region = LastWord(scope);
  if (scope == "global" || !Catalogue::HasRegion(region)) return given;
  given.push_back(AutoSubnetwork(project, "default", region));
  VisitBelow<NetworkRecord>(txn, project + "/", [&](const NetworkRecord& network) {
    if (network.resource.autoCreateSubnetworks.value_or(false)) {
      given.push_back(AutoSubnetwork(project, network.resource.name, region));
    }
  });
  return given;
}

// Firewall rules, routes, addresses.

void FitFirewall(Txn& txn, FirewallRecord& record) {
  c::Firewall& rule = record.resource;
  rule.network = NetworkLink(txn, record.project, rule.network.empty() ? "default" : rule.network);
  if (rule.direction.empty()) rule.direction = "INGRESS";
  if (rule.direction != "INGRESS" && rule.direction != "EGRESS") {
    InvalidField("resource.direction", rule.direction, "Must be INGRESS or EGRESS.");
  }
  if (rule.allowed.empty() == rule.denied.empty()) {
    throw Failure(Code::kInvalid,
                  "Invalid value for field 'resource': exactly one of allowed and denied must be "
                  "given.");
  }
  if (rule.priority < 0 || rule.priority > 65535) {
    InvalidField("resource.priority", std::to_string(rule.priority),
                 "Must be between 0 and 65535.");
  }
  bool anywhere = rule.direction == "INGRESS" && rule.sourceRanges.empty() &&
                  rule.sourceTags.empty() && rule.sourceServiceAccounts.empty();
  if (anywhere) rule.sourceRanges = {"0.0.0.0/0"};
  if (rule.direction == "EGRESS" && rule.destinationRanges.empty()) {
    rule.destinationRanges = {"0.0.0.0/0"};
  }
}

void FitRoute(Txn& txn, RouteRecord& record) {
  c::Route& route = record.resource;
  route.network =
      NetworkLink(txn, record.project, route.network.empty() ? "default" : route.network);
  if (route.destRange != "0.0.0.0/0") ParseCidr("resource.destRange", route.destRange);
  int hops = !route.nextHopGateway.empty() + !route.nextHopInstance.empty() +
             !route.nextHopIp.empty() + !route.nextHopNetwork.empty();
  if (hops != 1) {
    throw Failure(Code::kInvalid,
                  "Invalid value for field 'resource': exactly one next hop must be "
                  "given.");
  }
}

// A name for an address that is nobody's: the range for benchmarks never leaves a machine.
std::string FreeAddress(Txn& txn) {
  constexpr Cidr kReserved{198u << 24 | 18u << 16, 15};
  std::set<std::string> taken;
  VisitBelow<AddressRecord>(txn, "",
                            [&](const AddressRecord& one) { taken.insert(one.resource.address); });
  for (uint32_t number = 1; number < uint32_t{1} << (32 - kReserved.bits); ++number) {
    std::string address = kReserved.Host(number);
    if (!taken.contains(address)) return address;
  }
  throw Failure(Code::kExhausted, "Every address is reserved.");
}

void FitAddress(Txn& txn, AddressRecord& record) {
  c::Address& address = record.resource;
  in_addr parsed{};
  if (address.address.empty()) {
    address.address = FreeAddress(txn);
  } else if (inet_pton(AF_INET, address.address.c_str(), &parsed) != 1) {
    InvalidField("resource.address", address.address, "Must be a valid IPv4 address.");
  }
  CheckLabels(address.labels);
  address.status = "RESERVED";
  if (address.addressType.empty()) address.addressType = "EXTERNAL";
  if (address.networkTier.empty()) address.networkTier = "PREMIUM";
  if (record.scope != "global") {
    address.region = RegionLink(record.project, LastWord(record.scope));
  }
  address.labelFingerprint = FingerprintOf(address.labels);
}

std::vector<std::string> RegionScopes() {
  std::vector<std::string> scopes;
  for (const std::string& region : Catalogue::RegionNames()) scopes.push_back("regions/" + region);
  return scopes;
}

}  // namespace

std::string NetworkLink(Txn& txn, const std::string& project, std::string_view reference) {
  ResourceRef ref = ParseRef(reference);
  std::string owner = ref.project.empty() ? project : ref.project;
  bool there = ref.name() == "default" ||
               txn.Find<NetworkRecord>(owner + "/global/" + ref.name()).has_value();
  if (!there || owner != project) Missing(owner, "global/networks/" + ref.name());
  return ScopedLink(owner, "global", "networks", ref.name());
}

c::Subnetwork FindSubnetwork(Txn& txn, const std::string& project, const std::string& region,
                             std::string_view network, std::string_view reference) {
  std::string scope = "regions/" + region, name = LastWord(reference);
  std::string network_name = LastWord(network);
  std::vector<c::Subnetwork> all = GivenSubnetworks(txn, project, scope);
  VisitBelow<SubnetworkRecord>(txn, project + "/" + scope + "/",
                               [&](const SubnetworkRecord& one) { all.push_back(one.resource); });
  for (const c::Subnetwork& one : all) {
    bool fits = network_name.empty() || LastWord(one.network) == network_name;
    if (fits && (name.empty() || one.name == name)) return one;
  }
  if (!name.empty()) Missing(project, scope + "/subnetworks/" + name);
  InvalidField("resource.networkInterfaces[0].subnetwork", "",
               "The network has no subnetwork in the region " + region + ".");
}

NetworksService::NetworksService(Catalog& catalog, IdSource& ids, const Clock& clock)
    : networks_(catalog, ids, clock,
                {"networks", "compute#network", &FitNetwork, &CheckNetworkUnused,
                 [](Txn&, const std::string& project, const std::string&) {
                   return std::vector<c::Network>{DefaultNetwork(project)};
                 }}),
      subnetworks_(catalog, ids, clock,
                   {"subnetworks", "compute#subnetwork", &FitSubnetwork, &CheckSubnetworkUnused,
                    &GivenSubnetworks}),
      firewalls_(catalog, ids, clock,
                 {"firewalls", "compute#firewall", &FitFirewall, nullptr,
                  [](Txn&, const std::string& project, const std::string&) {
                    return DefaultFirewalls(project);
                  }}),
      routes_(catalog, ids, clock, {"routes", "compute#route", &FitRoute, nullptr, nullptr}),
      addresses_(catalog, ids, clock,
                 {"addresses", "compute#address", &FitAddress, nullptr, nullptr}) {}

void NetworksService::Serve(net::Router& router) {
  using Networks = StoredResources<c::Network>;
  router.On(c::kListNetworks, &networks_, &Networks::List);
  router.On(c::kGetNetwork, &networks_, &Networks::Get);
  router.On(c::kInsertNetwork, &networks_, &Networks::Insert);
  router.On(c::kDeleteNetwork, &networks_, &Networks::Delete);
  router.On(c::kPatchNetwork, &networks_, &Networks::Patch);
  using Subnetworks = StoredResources<c::Subnetwork>;
  router.On(c::kListSubnetworks, &subnetworks_, &Subnetworks::ListRegional);
  router.On(c::kAggregateSubnetworks, this, &NetworksService::AggregateSubnetworks);
  router.On(c::kGetSubnetwork, &subnetworks_, &Subnetworks::GetRegional);
  router.On(c::kInsertSubnetwork, &subnetworks_, &Subnetworks::InsertRegional);
  router.On(c::kDeleteSubnetwork, &subnetworks_, &Subnetworks::DeleteRegional);
  router.On(c::kPatchSubnetwork, &subnetworks_, &Subnetworks::PatchRegional);
  using Firewalls = StoredResources<c::Firewall>;
  router.On(c::kListFirewalls, &firewalls_, &Firewalls::List);
  router.On(c::kGetFirewall, &firewalls_, &Firewalls::Get);
  router.On(c::kInsertFirewall, &firewalls_, &Firewalls::Insert);
  router.On(c::kDeleteFirewall, &firewalls_, &Firewalls::Delete);
  router.On(c::kPatchFirewall, &firewalls_, &Firewalls::Patch);
  router.On(c::kUpdateFirewall, &firewalls_, &Firewalls::Patch);
  using Routes = StoredResources<c::Route>;
  router.On(c::kListRoutes, &routes_, &Routes::List);
  router.On(c::kGetRoute, &routes_, &Routes::Get);
  router.On(c::kInsertRoute, &routes_, &Routes::Insert);
  router.On(c::kDeleteRoute, &routes_, &Routes::Delete);
  using Addresses = StoredResources<c::Address>;
  router.On(c::kListGlobalAddresses, &addresses_, &Addresses::List);
  router.On(c::kGetGlobalAddress, &addresses_, &Addresses::Get);
  router.On(c::kInsertGlobalAddress, &addresses_, &Addresses::Insert);
  router.On(c::kDeleteGlobalAddress, &addresses_, &Addresses::Delete);
  router.On(c::kListAddresses, &addresses_, &Addresses::ListRegional);
  router.On(c::kAggregateAddresses, this, &NetworksService::AggregateAddresses);
  router.On(c::kGetAddress, &addresses_, &Addresses::GetRegional);
  router.On(c::kInsertAddress, &addresses_, &Addresses::InsertRegional);
  router.On(c::kDeleteAddress, &addresses_, &Addresses::DeleteRegional);
}

c::AggregatedListOf<c::SubnetworksScopedList> NetworksService::AggregateSubnetworks(
    const c::ListProject& request, const net::Call&) {
  return subnetworks_.Aggregate(request, &c::SubnetworksScopedList::subnetworks, RegionScopes());
}

c::AggregatedListOf<c::AddressesScopedList> NetworksService::AggregateAddresses(
    const c::ListProject& request, const net::Call&) {
  std::vector<std::string> scopes = RegionScopes();
  scopes.emplace_back("global");
  return addresses_.Aggregate(request, &c::AddressesScopedList::addresses, scopes);
}

}  // namespace fireweed::compute
