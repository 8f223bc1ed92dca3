// DNS questions as instances send them: anything may come.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/error.h"
#include "compute/dns_message.h"
#include "compute/name_rules.h"

namespace compute = fireweed::compute;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* bytes, size_t size) {
  std::string_view packet(reinterpret_cast<const char*>(bytes), size);
  compute::MakeDnsRefusal(packet, compute::DnsCode::kFormatError);
  std::optional<compute::DnsQuery> query = compute::ParseDnsQuery(packet);
  if (!query) return 0;
  auto nobody = [](std::string_view, std::string_view) {
    return std::optional<compute::Ipv4Address>();
  };
  compute::NameVerdict verdict = compute::DecideName(*query, "project", nobody);
  std::string reply = compute::MakeDnsReply(packet, *query, verdict.code, verdict.addresses, 5);
  if (reply.size() > 512) fireweed::Abort("a reply is too large");
  if (!compute::IsDnsReplyTo(reply, packet, *query))
    fireweed::Abort("a reply does not fit its question");
  return 0;
}
