// One request to the kernel by netlink, built up in order: header, fixed part, attributes, nested ones closed before
// their parent.
#pragma once

#include <linux/netlink.h>
#include <linux/rtnetlink.h>

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

namespace fireweed {

class NetlinkMessage {
 public:
  NetlinkMessage(uint16_t type, uint16_t flags) : bytes_(NLMSG_HDRLEN) {
    header().nlmsg_type = type;
    header().nlmsg_flags = static_cast<uint16_t>(NLM_F_REQUEST | flags);
  }

  template <class T>
  void Fixed(const T& part) {
    Append(&part, sizeof part);
  }
  void Attribute(uint16_t type, const void* value, size_t size) {
    rtattr head{.rta_len = static_cast<uint16_t>(RTA_LENGTH(size)), .rta_type = type};
    Append(&head, sizeof head);
    Append(value, size);
  }
  void Text(uint16_t type, std::string_view text) {
    std::string terminated(text);
    Attribute(type, terminated.c_str(), terminated.size() + 1);
  }
  void Number(uint16_t type, uint32_t value) { Attribute(type, &value, sizeof value); }
  size_t Begin(uint16_t type) {
    size_t at = bytes_.size();
    Attribute(type, nullptr, 0);
    return at;
  }
  void End(size_t begun) {
    auto size = static_cast<uint16_t>(bytes_.size() - begun);
    std::memcpy(bytes_.data() + begun, &size, sizeof size);
  }

  const std::vector<char>& Finish(uint32_t sequence) {
    header().nlmsg_len = static_cast<uint32_t>(bytes_.size());
    header().nlmsg_seq = sequence;
    return bytes_;
  }

 private:
  nlmsghdr& header() { return *reinterpret_cast<nlmsghdr*>(bytes_.data()); }
  void Append(const void* from, size_t size) {
    const char* bytes = static_cast<const char*>(from);
    bytes_.insert(bytes_.end(), bytes, bytes + size);
    bytes_.insert(bytes_.end(), NLMSG_ALIGN(size) - size, '\0');
  }

  std::vector<char> bytes_;
};

}  // namespace fireweed
