#include "storage/byte_range.h"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

#include "base/bytes.h"
#include "base/error.h"

namespace fireweed::storage {
namespace {

constexpr std::string_view kUnit = "bytes";

// A whole number without sign; nothing for anything else, also when it is too large.
std::optional<int64_t> ParseNumber(std::string_view text) {
  int64_t number = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (text.empty() || text[0] == '-' || error != std::errc() || end != text.data() + text.size()) {
    return std::nullopt;
  }
  return number;
}

bool IsDigits(std::string_view text) {
  return !text.empty() &&
         std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

// A position past every object, for digits that do not fit.
std::optional<int64_t> ParsePosition(std::string_view text) {
  if (!IsDigits(text)) return std::nullopt;
  return ParseNumber(text).value_or(INT64_MAX);
}

[[noreturn]] void RefuseRange() {
  throw Failure(Code::kRange, "The requested range cannot be satisfied.");
}

[[noreturn]] void RefuseContentRange(std::string_view header) {
  throw Failure(Code::kInvalid, "badRequest",
                fmt::format("Failed to parse Content-Range header: {}", header.substr(0, 100)));
}

}  // namespace

std::optional<ByteRange> ParseRange(std::string_view header, int64_t size) {
  header = Trim(header);
  if (header.size() < kUnit.size() || !EqualIgnoreCase(header.substr(0, kUnit.size()), kUnit)) {
    return std::nullopt;
  }
  header = Trim(header.substr(kUnit.size()));
  if (header.empty() || header[0] != '=') return std::nullopt;
  header = Trim(header.substr(1));
  size_t dash = header.find('-');
  if (dash == std::string_view::npos || header.find(',') != std::string_view::npos) {
    return std::nullopt;
  }
  std::string_view left = Trim(header.substr(0, dash)), right = Trim(header.substr(dash + 1));
  if (left.empty()) {
    std::optional<int64_t> last = ParsePosition(right);
    if (!last) return std::nullopt;
    if (*last == 0 || size == 0) RefuseRange();
    int64_t length = std::min(*last, size);
    return ByteRange{size - length, length};
  }
  std::optional<int64_t> first = ParsePosition(left);
  std::optional<int64_t> last = right.empty() ? INT64_MAX : ParsePosition(right);
  if (!first || !last || *last < *first) return std::nullopt;
  if (*first >= size) RefuseRange();
  return ByteRange{*first, std::min(*last, size - 1) - *first + 1};
}

ContentRange ParseContentRange(std::string_view header) {
  std::string_view text = Trim(header);
  if (text.size() <= kUnit.size() || !EqualIgnoreCase(text.substr(0, kUnit.size()), kUnit)) {
    RefuseContentRange(header);
  }
  text = Trim(text.substr(kUnit.size()));
  size_t slash = text.find('/');
  if (slash == std::string_view::npos) RefuseContentRange(header);
  std::string_view bytes = Trim(text.substr(0, slash)), total = Trim(text.substr(slash + 1));
  ContentRange range;
  if (total != "*") {
    range.total = ParseNumber(total);
    if (!range.total) RefuseContentRange(header);
  }
  if (bytes == "*") return range;
  size_t dash = bytes.find('-');
  if (dash == std::string_view::npos) RefuseContentRange(header);
  std::optional<int64_t> first = ParseNumber(bytes.substr(0, dash));
  std::optional<int64_t> last = ParseNumber(bytes.substr(dash + 1));
  bool sound = first && last && *last >= *first && *last < INT64_MAX;
  if (!sound || (range.total && *last >= *range.total)) RefuseContentRange(header);
  range.bytes = ByteRange{*first, *last - *first + 1};
  return range;
}

}  // namespace fireweed::storage
