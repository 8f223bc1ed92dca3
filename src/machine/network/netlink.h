// The few requests to the kernel's network tables that machines need, without starting a program for each.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/unique_fd.h"
#include "machine/network/subnet.h"

namespace fireweed {

// A socket to one network namespace: the one the opening thread was in. One thread at a time; each call blocks for
// the kernel's answer.
class Netlink {
 public:
  static Result<Netlink> Open();

  // kNotFound: no such link.
  Result<int> LinkIndex(std::string_view name);
  Result<> AddBridge(std::string_view name);
  // A pair: `name` here, in the bridge and up; `peer` in the namespace behind `peer_namespace`, down, with the
  // card number `peer_mac`.
  Result<> AddVeth(std::string_view name, int bridge_index, std::string_view peer,
                   int peer_namespace, const Mac& peer_mac);
  Result<> SetUp(int index);
  Result<> AddAddress(int index, Ipv4 address, int prefix_length);  // there already is success
  Result<> AddDefaultRoute(Ipv4 gateway);
  Result<> DeleteLink(std::string_view name);  // gone already is success

 private:
  explicit Netlink(UniqueFd fd) : fd_(std::move(fd)) {}
  Result<> Ask(class NetlinkMessage& message);

  UniqueFd fd_;
  uint32_t sequence_ = 0;
};

// Runs `body` in the network namespace behind `namespace_fd`, on a thread of its own that is joined before this
// returns: a thread that has changed its namespace is never used for anything else.
Result<> InNetwork(int namespace_fd, const std::function<Result<>()>& body);

}  // namespace fireweed
