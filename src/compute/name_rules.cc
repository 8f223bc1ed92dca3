#include "compute/name_rules.h"

#include <fmt/format.h>

#include "base/bytes.h"
#include "net/router.h"

namespace fireweed::compute {
namespace {

bool IsOurs(std::string_view name) {
  return name == "metadata.google.internal" || name == "metadata" || net::IsGoogleHost(name);
}

// "NAME", "NAME.c.PROJECT.internal" or "NAME.ZONE.c.PROJECT.internal" of this project. False for anything else.
bool SplitInstanceName(std::string_view full, std::string_view project, std::string_view& name,
                       std::string_view& zone) {
  std::string suffix = fmt::format(".c.{}.internal", project);
  bool qualified = full.ends_with(suffix);
  if (qualified) full.remove_suffix(suffix.size());
  size_t dot = full.find('.');
  name = full.substr(0, dot);
  zone = dot == std::string_view::npos ? std::string_view() : full.substr(dot + 1);
  return !name.empty() && zone.find('.') == std::string_view::npos && (qualified || zone.empty());
}

}  // namespace

NameVerdict DecideName(const DnsQuery& query, std::string_view project,
                       const FindInstanceAddress& find) {
  if (query.opcode != 0) return {.code = DnsCode::kNotImplemented};
  bool wants_ipv4 = query.type == kDnsTypeA || query.type == kDnsTypeAny;
  if (query.klass != kDnsClassInternet) return {.code = DnsCode::kRefused};
  if (IsOurs(query.name)) {
    NameVerdict here;
    if (wants_ipv4) here.addresses.push_back(kInsideAddress);
    return here;
  }
  std::string_view name, zone;
  if (SplitInstanceName(query.name, project, name, zone)) {
    std::optional<Ipv4Address> address = find(name, zone);
    if (!address) return {.code = DnsCode::kNoSuchName};
    NameVerdict found;
    if (wants_ipv4) found.addresses.push_back(*address);
    return found;
  }
  // Other projects' instances, and anything else private, are nobody's business.
  if (query.name.ends_with(".internal")) return {.code = DnsCode::kNoSuchName};
  // Instances have no IPv6: an empty answer saves them the time-out.
  if (query.type == kDnsTypeAaaa) return {};
  return {.forward = true};
}

std::vector<std::string> ParseResolvConf(std::string_view text) {
  std::vector<std::string> servers;
  while (!text.empty()) {
    size_t end = text.find('\n');
    std::string_view line = Trim(text.substr(0, end));
    text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
    constexpr std::string_view kWord = "nameserver";
    if (!line.starts_with(kWord) || line.size() == kWord.size()) continue;
    std::string_view rest = line.substr(kWord.size());
    if (rest.front() != ' ' && rest.front() != '\t') continue;
    rest = Trim(rest);
    std::string address(rest.substr(0, rest.find_first_of(" \t#")));
    if (ParseIpv4(address)) servers.push_back(std::move(address));
  }
  return servers;
}

}  // namespace fireweed::compute
