#include "storage/http_conditions.h"

#include <array>

#include <fmt/format.h>

#include "base/bytes.h"

namespace fireweed::storage {
namespace {

// "Sun, 15 Nov 2026 07:00:00 GMT" and no other form: everybody sends this one.
std::optional<Time> ParseHttpDate(std::string_view text) {
  constexpr std::array<std::string_view, 12> kMonths{"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                     "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  constexpr size_t kLength = 29;
  if (text.size() != kLength) return std::nullopt;
  for (size_t i = 0; i < kMonths.size(); ++i) {
    if (text.substr(8, 3) != kMonths[i]) continue;
    std::optional<Time> time = ParseTime(fmt::format("{}-{:02}-{}T{}Z", text.substr(12, 4), i + 1,
                                                     text.substr(5, 2), text.substr(17, 8)));
    if (time && FormatHttpDate(*time) == text) return time;
  }
  return std::nullopt;
}

std::string_view BareTag(std::string_view tag) {
  tag = Trim(tag);
  if (tag.starts_with("W/")) tag.remove_prefix(2);
  if (tag.size() >= 2 && tag.front() == '"' && tag.back() == '"')
    tag = tag.substr(1, tag.size() - 2);
  return tag;
}

// Whether `list` ("*", or tags with commas between) names `etag`.
bool Names(std::string_view list, std::string_view etag) {
  while (true) {
    size_t comma = list.find(',');
    std::string_view one = Trim(list.substr(0, comma));
    if (one == "*" || BareTag(one) == BareTag(etag)) return true;
    if (comma == std::string_view::npos) return false;
    list.remove_prefix(comma + 1);
  }
}

}  // namespace

Verdict CheckHttpConditions(const net::Request& request, std::string_view etag, Time modified) {
  int64_t second = ToSeconds(modified);
  auto date = [&](std::string_view header) -> std::optional<int64_t> {
    std::optional<std::string_view> text = request.Header(header);
    std::optional<Time> time = text ? ParseHttpDate(*text) : std::nullopt;
    if (!time) return std::nullopt;
    return ToSeconds(*time);
  };
  if (std::optional<std::string_view> match = request.Header("If-Match")) {
    if (!Names(*match, etag)) return Verdict::kFails;
  } else if (std::optional<int64_t> limit = date("If-Unmodified-Since"); limit && second > *limit) {
    return Verdict::kFails;
  }
  if (std::optional<std::string_view> none = request.Header("If-None-Match")) {
    if (Names(*none, etag)) return Verdict::kNotModified;
  } else if (std::optional<int64_t> since = date("If-Modified-Since"); since && second <= *since) {
    return Verdict::kNotModified;
  }
  return Verdict::kHolds;
}

bool RangeCounts(const net::Request& request, std::string_view etag, Time modified) {
  std::optional<std::string_view> given = request.Header("If-Range");
  if (!given) return true;
  if (std::optional<Time> time = ParseHttpDate(Trim(*given))) {
    return ToSeconds(*time) == ToSeconds(modified);
  }
  return !Trim(*given).starts_with("W/") && BareTag(*given) == BareTag(etag);
}

}  // namespace fireweed::storage
