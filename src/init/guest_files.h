// The few files that programs in a machine take for granted, where image and driver left them out.
#pragma once

#include <string>
#include <string_view>

namespace fireweed {

// `hosts` with a line for `name` where no line names it yet. Pure.
std::string HostsWith(std::string_view hosts, std::string_view name);

// Own name in /etc/hosts, a name server in /etc/resolv.conf, /dev/console and the like.
void PrepareGuestFiles();

}  // namespace fireweed
