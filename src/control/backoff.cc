#include "control/backoff.h"

#include <algorithm>
#include <cmath>

#include "base/bytes.h"
#include "base/checksum.h"

namespace fireweed {
namespace {

// In [0, 1), from the key and the attempt alone.
double Share(std::string_view key, int attempts) {
  uint32_t mixed = Crc32c(AsBytes(key), static_cast<uint32_t>(attempts));
  return static_cast<double>(mixed) / 4294967296.0;
}

}  // namespace

Duration BackoffPause(const BackoffRule& rule, int attempts, std::string_view key) {
  double grown =
      static_cast<double>(rule.first.count()) * std::pow(rule.factor, std::max(attempts, 1) - 1);
  double pause = std::min(grown, static_cast<double>(rule.longest.count()));
  return Duration(static_cast<int64_t>(pause * (1 - rule.spread * Share(key, attempts))));
}

Backoff AfterFailure(const Backoff& before, const BackoffRule& rule, std::string_view key,
                     Time now) {
  constexpr int32_t kCountedAttempts = 1'000'000;
  Backoff after;
  after.attempts = std::min(before.attempts, kCountedAttempts) + 1;
  after.next_try = now + BackoffPause(rule, after.attempts, key);
  return after;
}

}  // namespace fireweed
