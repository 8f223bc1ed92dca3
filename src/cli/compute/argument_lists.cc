#include "cli/compute/argument_lists.h"

#include <charconv>
#include <fstream>
#include <sstream>

#include <fmt/format.h>

#include "base/bytes.h"
#include "base/error.h"

namespace fireweed::cli {

std::vector<std::string> SplitList(std::string_view text) {
  std::string_view separator = ",";
  size_t second = text.starts_with('^') ? text.find('^', 1) : std::string_view::npos;
  if (second != std::string_view::npos && second > 1) {
    separator = text.substr(1, second - 1);
    text.remove_prefix(second + 1);
  }
  std::vector<std::string> parts;
  while (!text.empty()) {
    size_t at = text.find(separator);
    parts.emplace_back(text.substr(0, at));
    if (at == std::string_view::npos) break;
    text.remove_prefix(at + separator.size());
  }
  return parts;
}

std::vector<std::string> SplitLists(const std::vector<std::string>& texts) {
  std::vector<std::string> all;
  for (const std::string& text : texts) {
    for (std::string& part : SplitList(text)) all.push_back(std::move(part));
  }
  return all;
}

Pairs SplitPairs(const std::vector<std::string>& texts, std::string_view flag) {
  Pairs pairs;
  for (const std::string& part : SplitLists(texts)) {
    size_t equals = part.find('=');
    if (equals == std::string::npos || equals == 0)
      throw Failure(Code::kInvalid, fmt::format("{}: '{}' is not KEY=VALUE", flag, part));
    pairs.emplace_back(part.substr(0, equals), part.substr(equals + 1));
  }
  return pairs;
}

std::map<std::string, std::string> SplitRecord(std::string_view text) {
  std::map<std::string, std::string> record;
  for (const std::string& part : SplitList(text)) {
    size_t equals = part.find('=');
    record[part.substr(0, equals)] = equals == std::string::npos ? "true" : part.substr(equals + 1);
  }
  return record;
}

int64_t ParseGigabytes(std::string_view text, std::string_view flag) {
  int64_t number = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  std::string unit = ToLower(std::string_view(end, text.data() + text.size()));
  if (error == std::errc() && number > 0 && number < 1'000'000) {
    if (unit.empty() || unit == "gb" || unit == "gib" || unit == "g") return number;
    if (unit == "tb" || unit == "tib" || unit == "t") return number * 1024;
  }
  throw Failure(Code::kInvalid, fmt::format("{}: '{}' is no size: write 10GB or 1TB", flag, text));
}

int64_t ParseDuration(std::string_view text, std::string_view flag) {
  int64_t total = 0;
  std::string_view rest = text;
  while (!rest.empty()) {
    int64_t number = 0;
    auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), number);
    if (error != std::errc() || number < 0 || number > 1'000'000'000) break;
    rest.remove_prefix(static_cast<size_t>(end - rest.data()));
    char unit = rest.empty() ? 's' : rest.front();
    int64_t factor = unit == 's'   ? 1
                     : unit == 'm' ? 60
                     : unit == 'h' ? 3600
                     : unit == 'd' ? 86400
                                   : 0;
    if (factor == 0) break;
    total += number * factor;
    if (rest.empty()) return total;
    rest.remove_prefix(1);
    if (rest.empty()) return total;
  }
  throw Failure(Code::kInvalid,
                fmt::format("{}: '{}' is no time: write 30s, 10m or 1h30m", flag, text));
}

Pairs ReadFiles(const Pairs& paths) {
  Pairs contents;
  for (const auto& [key, path] : paths) {
    std::ifstream file(path);
    if (!file) throw Failure(Code::kNotFound, fmt::format("cannot read {}", path));
    std::stringstream text;
    text << file.rdbuf();
    contents.emplace_back(key, text.str());
  }
  return contents;
}

}  // namespace fireweed::cli
