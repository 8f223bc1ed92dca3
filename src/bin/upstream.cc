#include "bin/upstream.h"

#include <fmt/format.h>

#include "base/bytes.h"

namespace fireweed {

std::optional<net::Upstream> ParseUpstream(std::string_view text) {
  if (text.starts_with("http://")) text.remove_prefix(7);
  if (text.empty() || text.find("://") != std::string_view::npos) return std::nullopt;
  while (text.ends_with('/')) text.remove_suffix(1);
  net::Upstream upstream;
  size_t at = text.rfind('@');
  if (at != std::string_view::npos) {
    std::optional<std::string> credential = PercentDecode(text.substr(0, at));
    upstream.authorization =
        "Basic " + Base64Encode(credential.value_or(std::string(text.substr(0, at))));
    text.remove_prefix(at + 1);
  }
  upstream.address =
      text.find(':') == std::string_view::npos ? fmt::format("{}:80", text) : std::string(text);
  return upstream;
}

std::vector<std::string> SplitList(std::string_view text) {
  std::vector<std::string> words;
  while (!text.empty()) {
    size_t comma = text.find(',');
    std::string_view word = Trim(text.substr(0, comma));
    if (!word.empty()) words.emplace_back(word);
    text = comma == std::string_view::npos ? std::string_view() : text.substr(comma + 1);
  }
  return words;
}

}  // namespace fireweed
