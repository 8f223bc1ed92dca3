// Which names are answered here, and how (ADR 57). Pure.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "compute/dns_message.h"

namespace fireweed::compute {

// Where the daemon listens inside every instance.
inline constexpr Ipv4Address kInsideAddress{169, 254, 169, 254};

struct NameVerdict {
  bool forward = false;  // ask the host's resolvers
  DnsCode code = DnsCode::kNoError;
  std::vector<Ipv4Address> addresses;
};

// The address of an instance of the asker's project by its name and, where it was said, its zone.
using FindInstanceAddress =
    std::function<std::optional<Ipv4Address>(std::string_view name, std::string_view zone)>;

NameVerdict DecideName(const DnsQuery& query, std::string_view project,
                       const FindInstanceAddress& find);

// The IPv4 name servers of a resolv.conf, in order.
std::vector<std::string> ParseResolvConf(std::string_view text);

}  // namespace fireweed::compute
