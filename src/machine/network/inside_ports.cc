#include "machine/network/inside_ports.h"

#include <arpa/inet.h>
#include <linux/netfilter.h>
#include <linux/netfilter/nf_tables.h>
#include <linux/netfilter/nfnetlink.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <cerrno>
#include <string_view>
#include <vector>

#include "machine/network/netlink_message.h"

namespace fireweed {
namespace {

struct Lead {
  Transport transport;
  uint16_t port, stand_in;
};
// Above the range from which the kernel gives out ports by itself (ip_local_port_range).
constexpr Lead kLeads[] = {{Transport::kTcp, 80, 61080},
                           {Transport::kTcp, 443, 61443},
                           {Transport::kTcp, 53, 61053},
                           {Transport::kUdp, 53, 61053}};
constexpr std::string_view kTable = "fireweed";
constexpr std::string_view kChain = "inside";
constexpr int kManglePriority = -150;

constexpr uint16_t Kind(int message) {
  return static_cast<uint16_t>(NFNL_SUBSYS_NFTABLES << 8 | message);
}

// Messages to the packet filter that are taken all together or not at all.
class Batch {
 public:
  Batch() { Add(Mark(NFNL_MSG_BATCH_BEGIN)); }
  void Add(NetlinkMessage message) {
    const std::vector<char>& bytes = message.Finish(++sequence_);
    bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
  }
  const std::vector<char>& Finish() {
    Add(Mark(NFNL_MSG_BATCH_END));
    return bytes_;
  }

 private:
  static NetlinkMessage Mark(uint16_t kind) {
    NetlinkMessage mark(kind, 0);
    mark.Fixed(nfgenmsg{
        .nfgen_family = AF_UNSPEC, .version = NFNETLINK_V0, .res_id = htons(NFNL_SUBSYS_NFTABLES)});
    return mark;
  }
  std::vector<char> bytes_;
  uint32_t sequence_ = 0;
};

NetlinkMessage Filter(int message, uint16_t flags) {
  NetlinkMessage filter(Kind(message), flags);
  filter.Fixed(nfgenmsg{.nfgen_family = NFPROTO_IPV4, .version = NFNETLINK_V0, .res_id = 0});
  return filter;
}

// One step of a rule, as the kernel's list of expressions has it.
class Step {
 public:
  Step(NetlinkMessage& rule, std::string_view name)
      : rule_(rule), element_(rule.Begin(NLA_F_NESTED | NFTA_LIST_ELEM)) {
    rule_.Text(NFTA_EXPR_NAME, name);
    data_ = rule_.Begin(NLA_F_NESTED | NFTA_EXPR_DATA);
  }
  ~Step() {
    rule_.End(data_);
    rule_.End(element_);
  }
  Step(const Step&) = delete;
  Step& operator=(const Step&) = delete;

  void Number(uint16_t type, uint32_t value) { rule_.Number(type, htonl(value)); }
  void Value(uint16_t type, const void* value, size_t size) {
    size_t outer = rule_.Begin(static_cast<uint16_t>(NLA_F_NESTED | type));
    rule_.Attribute(NFTA_DATA_VALUE, value, size);
    rule_.End(outer);
  }

 private:
  NetlinkMessage& rule_;
  size_t element_, data_ = 0;
};

// The packet has this value at this place.
template <class T>
void Match(NetlinkMessage& rule, uint32_t base, uint32_t offset, T value) {
  {
    Step load(rule, "payload");
    load.Number(NFTA_PAYLOAD_DREG, NFT_REG_1);
    load.Number(NFTA_PAYLOAD_BASE, base);
    load.Number(NFTA_PAYLOAD_OFFSET, offset);
    load.Number(NFTA_PAYLOAD_LEN, sizeof value);
  }
  Step compare(rule, "cmp");
  compare.Number(NFTA_CMP_SREG, NFT_REG_1);
  compare.Number(NFTA_CMP_OP, NFT_CMP_EQ);
  compare.Value(NFTA_CMP_DATA, &value, sizeof value);
}

// Where a packet has its addresses and ports.
struct Side {
  uint32_t address_at, port_at;
};
constexpr Side kSource{12, 0}, kDestination{16, 2};

// "ip daddr 169.254.169.254 tcp dport 80 tcp dport set 61080", as nft would say it; the same of the source.
NetlinkMessage Rule(const Side& side, Transport transport, uint16_t from, uint16_t to) {
  NetlinkMessage rule = Filter(NFT_MSG_NEWRULE, NLM_F_CREATE | NLM_F_APPEND);
  rule.Text(NFTA_RULE_TABLE, kTable);
  rule.Text(NFTA_RULE_CHAIN, kChain);
  size_t steps = rule.Begin(NLA_F_NESTED | NFTA_RULE_EXPRESSIONS);
  constexpr uint32_t kProtocolAt = 9, kTcpChecksumAt = 16, kUdpChecksumAt = 6;
  bool tcp = transport == Transport::kTcp;
  auto protocol = static_cast<uint8_t>(tcp ? IPPROTO_TCP : IPPROTO_UDP);
  Match(rule, NFT_PAYLOAD_NETWORK_HEADER, side.address_at, htonl(kMetadataAddress));
  Match(rule, NFT_PAYLOAD_NETWORK_HEADER, kProtocolAt, protocol);
  Match(rule, NFT_PAYLOAD_TRANSPORT_HEADER, side.port_at, htons(from));
  uint16_t port = htons(to);
  {
    Step immediate(rule, "immediate");
    immediate.Number(NFTA_IMMEDIATE_DREG, NFT_REG_1);
    immediate.Value(NFTA_IMMEDIATE_DATA, &port, sizeof port);
  }
  {
    Step write(rule, "payload");
    write.Number(NFTA_PAYLOAD_SREG, NFT_REG_1);
    write.Number(NFTA_PAYLOAD_BASE, NFT_PAYLOAD_TRANSPORT_HEADER);
    write.Number(NFTA_PAYLOAD_OFFSET, side.port_at);
    write.Number(NFTA_PAYLOAD_LEN, sizeof port);
    write.Number(NFTA_PAYLOAD_CSUM_TYPE, NFT_PAYLOAD_CSUM_INET);
    write.Number(NFTA_PAYLOAD_CSUM_OFFSET, tcp ? kTcpChecksumAt : kUdpChecksumAt);
  }
  rule.End(steps);
  return rule;
}

NetlinkMessage Chain() {
  NetlinkMessage chain = Filter(NFT_MSG_NEWCHAIN, NLM_F_CREATE);
  chain.Text(NFTA_CHAIN_TABLE, kTable);
  chain.Text(NFTA_CHAIN_NAME, kChain);
  chain.Text(NFTA_CHAIN_TYPE, "filter");
  size_t hook = chain.Begin(NLA_F_NESTED | NFTA_CHAIN_HOOK);
  chain.Number(NFTA_HOOK_HOOKNUM, htonl(NF_INET_LOCAL_OUT));
  chain.Number(NFTA_HOOK_PRIORITY, htonl(static_cast<uint32_t>(kManglePriority)));
  chain.End(hook);
  return chain;
}

NetlinkMessage Table(int message, uint16_t flags) {
  NetlinkMessage table = Filter(message, flags);
  table.Text(NFTA_TABLE_NAME, kTable);
  return table;
}

// The kernel's first answer: 0 or an error's number. It is there when the request has been sent.
int Ask(const std::vector<char>& request) {
  UniqueFd fd(socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_NETFILTER));
  if (!fd || send(fd.get(), request.data(), request.size(), 0) < 0) return errno;
  char reply[8192];
  ssize_t size = recv(fd.get(), reply, sizeof reply, MSG_DONTWAIT);
  if (size < 0) return errno;
  nlmsghdr head{};
  if (static_cast<size_t>(size) < sizeof head) return EPROTO;
  std::memcpy(&head, reply, sizeof head);
  if (head.nlmsg_type != NLMSG_ERROR) return 0;
  int error_number = 0;
  if (static_cast<size_t>(size) < NLMSG_HDRLEN + sizeof error_number) return EPROTO;
  std::memcpy(&error_number, reply + NLMSG_HDRLEN, sizeof error_number);
  return -error_number;
}

bool Leads() {
  NetlinkMessage table = Table(NFT_MSG_GETTABLE, 0);
  return Ask(table.Finish(1)) == 0;
}

}  // namespace

Result<> LeadInsidePorts() {
  Batch batch;
  batch.Add(Table(NFT_MSG_NEWTABLE, NLM_F_CREATE | NLM_F_EXCL));
  batch.Add(Chain());
  // There and back: whatever is sent to the address or from it leaves a process of this network.
  for (const Lead& lead : kLeads) {
    batch.Add(Rule(kDestination, lead.transport, lead.port, lead.stand_in));
    batch.Add(Rule(kSource, lead.transport, lead.stand_in, lead.port));
  }
  // Only the last one asks for an answer: what comes first is its success, or what went wrong before.
  batch.Add(Table(NFT_MSG_NEWTABLE, NLM_F_CREATE | NLM_F_ACK));
  if (int failed = Ask(batch.Finish())) return ErrnoError(failed, "leading ports inside");
  return Done{};
}

std::optional<uint16_t> InsideStandIn(uint16_t port, Transport transport) {
  for (const Lead& lead : kLeads) {
    if (lead.port == port && lead.transport == transport && Leads()) return lead.stand_in;
  }
  return std::nullopt;
}

}  // namespace fireweed
