#include "compute/dns_message.h"

#include <arpa/inet.h>

#include <algorithm>
#include <cstring>

#include "base/bytes.h"

namespace fireweed::compute {
namespace {

constexpr size_t kHeaderBytes = 12;
constexpr size_t kLongestLabel = 63;
constexpr size_t kLongestName = 255;
constexpr size_t kLargestReply = 512;  // what every client takes over UDP
constexpr size_t kAnswerBytes = 16;

uint16_t Read16(std::string_view packet, size_t at) {
  return static_cast<uint16_t>(static_cast<uint8_t>(packet[at]) << 8 |
                               static_cast<uint8_t>(packet[at + 1]));
}
void Append16(std::string& out, unsigned value) {
  out += static_cast<char>(value >> 8 & 0xff);
  out += static_cast<char>(value & 0xff);
}

// Labels of a question are never compressed: a pointer there is refused, so no name can loop.
bool ReadName(std::string_view packet, size_t& at, std::string& name) {
  size_t begin = at;
  while (at < packet.size()) {
    size_t length = static_cast<uint8_t>(packet[at++]);
    if (length == 0) return at - begin <= kLongestName;
    if (length > kLongestLabel || at + length > packet.size()) return false;
    if (!name.empty()) name += '.';
    for (char c : packet.substr(at, length)) {
      // A dot or a zero inside a label would read as another name.
      if (c == '.' || c == '\0') return false;
      name += c;
    }
    at += length;
    if (at - begin > kLongestName) return false;
  }
  return false;
}

void AppendHeader(std::string& out, uint16_t id, unsigned flags, unsigned questions,
                  size_t answers) {
  Append16(out, id);
  Append16(out, flags);
  Append16(out, questions);
  Append16(out, static_cast<unsigned>(answers));
  Append16(out, 0);
  Append16(out, 0);
}

}  // namespace

std::optional<DnsQuery> ParseDnsQuery(std::string_view packet) {
  if (packet.size() < kHeaderBytes) return std::nullopt;
  DnsQuery query{.id = Read16(packet, 0)};
  uint16_t flags = Read16(packet, 2);
  if (flags & 0x8000) return std::nullopt;
  query.opcode = static_cast<uint8_t>(flags >> 11 & 0xf);
  query.recursion_desired = flags & 0x0100;
  if (Read16(packet, 4) != 1) return std::nullopt;
  size_t at = kHeaderBytes;
  if (!ReadName(packet, at, query.name) || at + 4 > packet.size()) return std::nullopt;
  query.name = ToLower(query.name);
  query.type = Read16(packet, at);
  query.klass = Read16(packet, at + 2);
  query.question_end = at + 4;
  return query;
}

std::string MakeDnsReply(std::string_view packet, const DnsQuery& query, DnsCode code,
                         const std::vector<Ipv4Address>& addresses, uint32_t ttl_seconds) {
  size_t room = (kLargestReply - query.question_end) / kAnswerBytes;
  size_t count = std::min(addresses.size(), room);
  // Response, the query's opcode, authoritative, recursion available.
  unsigned flags = 0x8000u | static_cast<unsigned>(query.opcode) << 11 | 0x0400u | 0x0080u |
                   static_cast<unsigned>(code);
  if (query.recursion_desired) flags |= 0x0100u;
  std::string out;
  AppendHeader(out, query.id, flags, 1, count);
  out.append(packet.substr(kHeaderBytes, query.question_end - kHeaderBytes));
  for (size_t i = 0; i < count; ++i) {
    Append16(out, 0xc000u | kHeaderBytes);  // the question's name
    Append16(out, kDnsTypeA);
    Append16(out, kDnsClassInternet);
    Append16(out, ttl_seconds >> 16);
    Append16(out, ttl_seconds & 0xffff);
    Append16(out, 4);
    for (uint8_t byte : addresses[i]) out += static_cast<char>(byte);
  }
  return out;
}

std::optional<std::string> MakeDnsRefusal(std::string_view packet, DnsCode code) {
  if (packet.size() < 4 || (Read16(packet, 2) & 0x8000)) return std::nullopt;
  std::string out;
  unsigned kept = Read16(packet, 2) & 0x7900u;  // opcode and recursion desired
  AppendHeader(out, Read16(packet, 0), 0x8000u | kept | static_cast<unsigned>(code), 0, 0);
  return out;
}

uint16_t DnsId(std::string_view packet) { return Read16(packet, 0); }

void SetDnsId(std::string& packet, uint16_t id) {
  packet[0] = static_cast<char>(id >> 8);
  packet[1] = static_cast<char>(id & 0xff);
}

bool IsDnsReplyTo(std::string_view reply, std::string_view question, const DnsQuery& query) {
  if (reply.size() < query.question_end || !(Read16(reply, 2) & 0x8000)) return false;
  size_t length = query.question_end - kHeaderBytes;
  return DnsId(reply) == DnsId(question) &&
         EqualIgnoreCase(reply.substr(kHeaderBytes, length), question.substr(kHeaderBytes, length));
}

std::optional<Ipv4Address> ParseIpv4(std::string_view text) {
  in_addr parsed{};
  if (inet_pton(AF_INET, std::string(text).c_str(), &parsed) != 1) return std::nullopt;
  Ipv4Address address;
  std::memcpy(address.data(), &parsed, address.size());
  return address;
}

}  // namespace fireweed::compute
