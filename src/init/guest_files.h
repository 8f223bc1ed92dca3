// The few files that programs in a machine take for granted, where image and driver left them out.
#pragma once

#include <string>
#include <string_view>

namespace fireweed {

// `hosts` with a line for `name` where no line names it yet. Pure.
std::string HostsWith(std::string_view hosts, std::string_view name);

// A gitconfig in which the source repositories' host has the machine's own credential helper, unless it names that
// host already. Pure.
std::string GitConfigWith(std::string_view gitconfig);

// Own name in /etc/hosts, a name server in /etc/resolv.conf, /dev/console, git's way to the source
// repositories and the like.
void PrepareGuestFiles();

}  // namespace fireweed
