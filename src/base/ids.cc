#include "base/ids.h"

#include <fmt/format.h>

namespace fireweed {
namespace {
constexpr int64_t kEpochMicros = 1'577'836'800'000'000;  // 2020-01-01T00:00:00Z
}

int64_t IdSource::NextNumber() {
  int64_t micros = ToMicros(time_.Next()) - kEpochMicros;
  return (micros << 10 | static_cast<int64_t>(random_.Below(1024))) & INT64_MAX;
}

std::string IdSource::NextWord() {
  return fmt::format("{:016x}{}", ToMicros(time_.Next()), random_.Hex(5));
}

}  // namespace fireweed
