#include "logs/segment_name.h"

#include <charconv>
#include <vector>

#include <fmt/format.h>

#include "base/bytes.h"

namespace fireweed::logs {
namespace {

constexpr std::string_view kLive = ".live", kComplete = ".log";

std::vector<std::string_view> Split(std::string_view text) {
  std::vector<std::string_view> parts;
  while (true) {
    size_t comma = text.find(',');
    parts.push_back(text.substr(0, comma));
    if (comma == text.npos) return parts;
    text.remove_prefix(comma + 1);
  }
}

template <class T>
bool ReadNumber(std::string_view text, T& out) {
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
  return error == std::errc() && end == text.data() + text.size();
}

}  // namespace

std::string SegmentName::FileName() const {
  std::string stem = fmt::format("{},{:06}", PercentEncode(tag), number);
  if (live) return stem + std::string(kLive);
  return fmt::format("{},{},{},{}{}", stem, min_time, max_time, size, kComplete);
}

std::optional<SegmentName> SegmentName::Parse(std::string_view file_name) {
  SegmentName name;
  name.live = file_name.ends_with(kLive);
  if (!name.live && !file_name.ends_with(kComplete)) return std::nullopt;
  file_name.remove_suffix(name.live ? kLive.size() : kComplete.size());
  std::vector<std::string_view> parts = Split(file_name);
  if (parts.size() != (name.live ? 2u : 5u)) return std::nullopt;
  std::optional<std::string> tag = PercentDecode(parts[0]);
  if (!tag || !ReadNumber(parts[1], name.number)) return std::nullopt;
  name.tag = *std::move(tag);
  if (!name.live && !(ReadNumber(parts[2], name.min_time) && ReadNumber(parts[3], name.max_time) &&
                      ReadNumber(parts[4], name.size))) {
    return std::nullopt;
  }
  return name;
}

}  // namespace fireweed::logs
