// Patterns on the command line: '*' and '?' stay within a segment, '**' goes over '/', "[a-z]" and "[!a]" are one
// character. Pure.
#pragma once

#include <string>
#include <string_view>

namespace fireweed::cli {

bool HasWildcard(std::string_view text);
// What stands before the first wildcard.
std::string_view LiteralPrefix(std::string_view pattern);
bool MatchesWildcard(std::string_view pattern, std::string_view text);

}  // namespace fireweed::cli
