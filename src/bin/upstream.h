// The proxy that was set before `fireweed env` took its place, from the words of the environment.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "net/http_server.h"

namespace fireweed {

// "http://user:secret@host:port", or HOST:PORT from the settings. Other schemes are no proxies that
// CONNECT can be sent to in the clear, and give nullopt.
std::optional<net::Upstream> ParseUpstream(std::string_view text);

// NO_PROXY as a list: "a, b,,c" -> a b c.
std::vector<std::string> SplitList(std::string_view text);

}  // namespace fireweed
