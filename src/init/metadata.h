// Reading and writing the metadata server from inside the machine.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "init/http_get.h"

namespace fireweed {

// The value at `path` below /computeMetadata/v1/; waits, for as long as it takes, until the server answers. nullopt: the
// server has none, or the machine goes down (going_down.h).
std::optional<std::string> AwaitMetadata(const HttpServer& server, const std::string& path);

// "TRUE", "true", "1", "yes" and the like, as the public cloud's guest programs take them. Pure.
bool IsTrueWord(std::string_view text);

// Whether a listing, one name a line, holds `name`. Pure.
bool Lists(std::string_view listing, std::string_view name);

}  // namespace fireweed
