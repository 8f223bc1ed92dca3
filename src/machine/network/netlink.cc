#include "machine/network/netlink.h"

#include <arpa/inet.h>
#include <linux/if_link.h>
#include <linux/veth.h>
#include <net/if.h>
#include <sched.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstring>
#include <optional>
#include <thread>
#include <vector>

#include <fmt/format.h>

#include "machine/network/netlink_message.h"

namespace fireweed {

namespace {

Error NetError(int error_number, std::string_view what) {
  return ErrnoError(error_number, fmt::format("network: {}", what));
}

}  // namespace

Result<Netlink> Netlink::Open() {
  UniqueFd fd(socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE));
  if (!fd) return NetError(errno, "socket");
  return Netlink(std::move(fd));
}

Result<> Netlink::Ask(NetlinkMessage& message) {
  uint32_t sequence = ++sequence_;
  const std::vector<char>& bytes = message.Finish(sequence);
  if (send(fd_.get(), bytes.data(), bytes.size(), 0) < 0) return NetError(errno, "send");
  char reply[8192];
  while (true) {
    ssize_t size = recv(fd_.get(), reply, sizeof reply, 0);
    if (size < 0 && errno == EINTR) continue;
    if (size < static_cast<ssize_t>(NLMSG_LENGTH(sizeof(int)))) return NetError(errno, "receive");
    nlmsghdr head;
    std::memcpy(&head, reply, sizeof head);
    if (head.nlmsg_seq != sequence || head.nlmsg_type != NLMSG_ERROR) continue;
    int error_number;
    std::memcpy(&error_number, reply + NLMSG_HDRLEN, sizeof error_number);
    if (error_number == 0) return Done{};
    return NetError(-error_number, "refused");
  }
}

Result<int> Netlink::LinkIndex(std::string_view name) {
  NetlinkMessage message(RTM_GETLINK, NLM_F_ACK);
  message.Fixed(ifinfomsg{.ifi_family = AF_UNSPEC});
  message.Text(IFLA_IFNAME, name);
  uint32_t sequence = ++sequence_;
  const std::vector<char>& bytes = message.Finish(sequence);
  if (send(fd_.get(), bytes.data(), bytes.size(), 0) < 0) return NetError(errno, "send");
  std::vector<char> reply(32768);
  std::optional<int> index;
  while (true) {
    ssize_t size = recv(fd_.get(), reply.data(), reply.size(), 0);
    if (size < 0 && errno == EINTR) continue;
    if (size < static_cast<ssize_t>(NLMSG_HDRLEN)) return NetError(errno, "receive");
    nlmsghdr head;
    std::memcpy(&head, reply.data(), sizeof head);
    if (head.nlmsg_seq != sequence) continue;
    if (head.nlmsg_type == RTM_NEWLINK) {
      ifinfomsg link;
      std::memcpy(&link, reply.data() + NLMSG_HDRLEN, sizeof link);
      index = link.ifi_index;
      continue;  // the acknowledgement follows
    }
    int error_number = 0;
    std::memcpy(&error_number, reply.data() + NLMSG_HDRLEN, sizeof error_number);
    if (error_number == 0 && index) return *index;
    int code = error_number == -ENODEV || error_number == 0 ? ENOENT : -error_number;
    return NetError(code, fmt::format("no link {}", name));
  }
}

Result<> Netlink::AddBridge(std::string_view name) {
  NetlinkMessage message(RTM_NEWLINK, NLM_F_ACK | NLM_F_CREATE | NLM_F_EXCL);
  message.Fixed(ifinfomsg{.ifi_family = AF_UNSPEC});
  message.Text(IFLA_IFNAME, name);
  size_t info = message.Begin(IFLA_LINKINFO);
  message.Text(IFLA_INFO_KIND, "bridge");
  message.End(info);
  return Ask(message);
}

Result<> Netlink::AddVeth(std::string_view name, int bridge_index, std::string_view peer,
                          int peer_namespace, const Mac& peer_mac) {
  NetlinkMessage message(RTM_NEWLINK, NLM_F_ACK | NLM_F_CREATE | NLM_F_EXCL);
  message.Fixed(ifinfomsg{.ifi_family = AF_UNSPEC, .ifi_flags = IFF_UP, .ifi_change = IFF_UP});
  message.Text(IFLA_IFNAME, name);
  message.Number(IFLA_MASTER, static_cast<uint32_t>(bridge_index));
  size_t info = message.Begin(IFLA_LINKINFO);
  message.Text(IFLA_INFO_KIND, "veth");
  size_t inner = message.Begin(IFLA_INFO_DATA);
  size_t other = message.Begin(VETH_INFO_PEER);
  message.Fixed(ifinfomsg{.ifi_family = AF_UNSPEC});
  message.Text(IFLA_IFNAME, peer);
  message.Attribute(IFLA_ADDRESS, peer_mac.data(), peer_mac.size());
  message.Number(IFLA_NET_NS_FD, static_cast<uint32_t>(peer_namespace));
  message.End(other);
  message.End(inner);
  message.End(info);
  return Ask(message);
}

Result<> Netlink::SetUp(int index) {
  NetlinkMessage message(RTM_NEWLINK, NLM_F_ACK);
  message.Fixed(ifinfomsg{
      .ifi_family = AF_UNSPEC, .ifi_index = index, .ifi_flags = IFF_UP, .ifi_change = IFF_UP});
  return Ask(message);
}

Result<> Netlink::AddAddress(int index, Ipv4 address, int prefix_length) {
  NetlinkMessage message(RTM_NEWADDR, NLM_F_ACK | NLM_F_CREATE | NLM_F_REPLACE);
  message.Fixed(ifaddrmsg{.ifa_family = AF_INET,
                          .ifa_prefixlen = static_cast<uint8_t>(prefix_length),
                          .ifa_index = static_cast<uint32_t>(index)});
  message.Number(IFA_LOCAL, htonl(address));
  message.Number(IFA_ADDRESS, htonl(address));
  return Ask(message);
}

Result<> Netlink::AddDefaultRoute(Ipv4 gateway) {
  NetlinkMessage message(RTM_NEWROUTE, NLM_F_ACK | NLM_F_CREATE | NLM_F_REPLACE);
  message.Fixed(rtmsg{.rtm_family = AF_INET,
                      .rtm_table = RT_TABLE_MAIN,
                      .rtm_protocol = RTPROT_BOOT,
                      .rtm_scope = RT_SCOPE_UNIVERSE,
                      .rtm_type = RTN_UNICAST});
  message.Number(RTA_GATEWAY, htonl(gateway));
  return Ask(message);
}

Result<> Netlink::DeleteLink(std::string_view name) {
  NetlinkMessage message(RTM_DELLINK, NLM_F_ACK);
  message.Fixed(ifinfomsg{.ifi_family = AF_UNSPEC});
  message.Text(IFLA_IFNAME, name);
  Result<> asked = Ask(message);
  // ENODEV has no code of its own; what counts is that it is not there.
  if (!asked.ok() && !LinkIndex(name).ok()) return Done{};
  return asked;
}

Result<> InNetwork(int namespace_fd, const std::function<Result<>()>& body) {
  std::optional<Result<>> result;
  std::thread inside([&] {
    if (setns(namespace_fd, CLONE_NEWNET) != 0) {
      result = NetError(errno, "entering a namespace");
      return;
    }
    result = body();
  });
  inside.join();
  return *result;
}

}  // namespace fireweed
