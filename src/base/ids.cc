#include "base/ids.h"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

namespace fireweed {
namespace {
constexpr int64_t kEpochMicros = 1'577'836'800'000'000;  // 2020-01-01T00:00:00Z
constexpr size_t kTimeDigits = 16, kRandomDigits = 10;   // of a word
}  // namespace

int64_t IdSource::NextNumber() {
  int64_t micros = ToMicros(time_.Next()) - kEpochMicros;
  return (micros << 10 | static_cast<int64_t>(random_.Below(1024))) & INT64_MAX;
}

std::string IdSource::NextWord() {
  return fmt::format("{:0{}x}{}", ToMicros(time_.Next()), kTimeDigits,
                     random_.Hex(kRandomDigits / 2));
}

std::optional<Time> TimeOfWord(std::string_view word) {
  bool hex = std::all_of(word.begin(), word.end(),
                         [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); });
  if (!hex || word.size() != kTimeDigits + kRandomDigits) return std::nullopt;
  int64_t micros = 0;
  auto parsed = std::from_chars(word.data(), word.data() + kTimeDigits, micros, 16);
  // A Time counts nanoseconds in 64 bits.
  if (parsed.ec != std::errc() || micros > INT64_MAX / 1000) return std::nullopt;
  return FromMicros(micros);
}

}  // namespace fireweed
