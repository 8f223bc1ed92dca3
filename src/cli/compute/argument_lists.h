// Lists and KEY=VALUE lists as gcloud takes them: "a=1,b=2", or "^;^a=1,2;b=3" where another character separates. Pure.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace fireweed::cli {

using Pairs = std::vector<std::pair<std::string, std::string>>;

std::vector<std::string> SplitList(std::string_view text);
std::vector<std::string> SplitLists(const std::vector<std::string>& texts);
// `flag` is for the message. Throws Failure(kInvalid) for what is not KEY=VALUE.
Pairs SplitPairs(const std::vector<std::string>& texts, std::string_view flag);
// One option with named parts: "name=d1,boot=yes". A part without '=' is its own value "true".
std::map<std::string, std::string> SplitRecord(std::string_view text);
// "10", "10GB", "1TB", "10GiB": whole gigabytes. Throws Failure(kInvalid).
int64_t ParseGigabytes(std::string_view text, std::string_view flag);
// "90", "30s", "10m", "2h", "1d", "1h30m": seconds. Throws Failure(kInvalid).
int64_t ParseDuration(std::string_view text, std::string_view flag);
// KEY=PATH pairs with the files' contents. Throws Failure for a file that cannot be read.
Pairs ReadFiles(const Pairs& paths);

}  // namespace fireweed::cli
