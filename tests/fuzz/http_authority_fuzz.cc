// CONNECT's authority, URLs and networks.
#include <cstdint>
#include <string>

#include "base/bytes.h"
#include "base/error.h"
#include "net/certificate_authority.h"
#include "net/google_connect_policy.h"
#include "net/ip_network.h"
#include "net/request_target.h"
#include "net/url.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size) {
  std::string_view input(reinterpret_cast<const char*>(bytes), size);
  if (std::optional<fireweed::net::Authority> authority = fireweed::net::ParseAuthority(input)) {
    if (authority->host.empty() || authority->port == 0) fireweed::Abort("half an authority");
    std::string host = fireweed::ToLower(authority->host);
    // Whatever is answered here must be something we can have a certificate for.
    if (fireweed::net::IsInterceptedHost(host) && !fireweed::net::IsConstrainedName(host)) {
      fireweed::Abort("intercepted without a certificate: " + host);
    }
  }
  if (std::optional<fireweed::net::Url> url = fireweed::net::ParseUrl(input)) {
    if (url->port == 0 || !url->target.starts_with('/')) fireweed::Abort("half a URL");
    const std::string again =
        (url->https ? "https://" : "http://") + url->Authority() + url->target;
    std::optional<fireweed::net::Url> second = fireweed::net::ParseUrl(again);
    if (!second || second->host != url->host || second->port != url->port ||
        second->target != url->target) {
      fireweed::Abort("a URL does not come back: " + again);
    }
  }
  if (std::optional<fireweed::net::IpNetwork> network = fireweed::net::IpNetwork::Parse(input)) {
    if (!network->Contains(input.substr(0, input.find('/'))))
      fireweed::Abort("a network without itself");
  }
  return 0;
}
