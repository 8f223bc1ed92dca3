// DNS packets (RFC 1035) as far as a name server for instances needs them: one question in, addresses or a code
// out. Pure; anything may come in.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fireweed::compute {

inline constexpr uint16_t kDnsTypeA = 1;
inline constexpr uint16_t kDnsTypeAaaa = 28;
inline constexpr uint16_t kDnsTypeAny = 255;
inline constexpr uint16_t kDnsClassInternet = 1;

enum class DnsCode : uint8_t {
  kNoError = 0,
  kFormatError = 1,
  kServerFailure = 2,
  kNoSuchName = 3,
  kNotImplemented = 4,
  kRefused = 5,
};

using Ipv4Address = std::array<uint8_t, 4>;

struct DnsQuery {
  uint16_t id = 0;
  uint8_t opcode = 0;
  bool recursion_desired = false;
  std::string name;  // lower case, without the final dot; empty for the root
  uint16_t type = 0;
  uint16_t klass = 0;
  size_t question_end = 0;  // offset behind the question section
};

// nullopt for what is no query with exactly one question: answers, broken names, short packets.
std::optional<DnsQuery> ParseDnsQuery(std::string_view packet);

// The reply to `packet`, which `query` was parsed from: its question, then an A record for each address.
std::string MakeDnsReply(std::string_view packet, const DnsQuery& query, DnsCode code,
                         const std::vector<Ipv4Address>& addresses, uint32_t ttl_seconds);

// For a packet that has at least an id but is no good: a bare header with the code. nullopt when it is an answer
// itself or too short, which nobody should reply to.
std::optional<std::string> MakeDnsRefusal(std::string_view packet, DnsCode code);

uint16_t DnsId(std::string_view packet);          // REQUIRES: two bytes at least
void SetDnsId(std::string& packet, uint16_t id);  // REQUIRES: two bytes at least
bool IsDnsReplyTo(std::string_view reply, std::string_view question, const DnsQuery& query);

std::optional<Ipv4Address> ParseIpv4(std::string_view text);

}  // namespace fireweed::compute
