// How long to wait after failures. Pure; the count and the next try are fields of the row that
// failed, so that waiting survives a restart.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/clock.h"
#include "describe/type.h"

namespace fireweed {

struct BackoffRule {
  Duration first = std::chrono::seconds(1);
  Duration longest = std::chrono::minutes(5);
  double factor = 2;
  // Pauses are shortened by up to this share, differently for every key, so that what failed
  // together does not come back together.
  double spread = 0.2;
};

// The pause after the `attempts`th failure in a row (1, 2, ...). The same arguments give the same
// answer.
Duration BackoffPause(const BackoffRule& rule, int attempts, std::string_view key);

// To be embedded in a row.
struct Backoff {
  int32_t attempts = 0;          // failures in a row
  std::optional<Time> next_try;  // none: at once
};
template <>
inline constexpr std::string_view kTypeName<Backoff> = "Backoff";
template <>
inline constexpr auto kFields<Backoff> = [](auto...) {
  return Fields{F("attempts", &Backoff::attempts), F("nextTry", &Backoff::next_try)};
};

Backoff AfterFailure(const Backoff& before, const BackoffRule& rule, std::string_view key,
                     Time now);
inline bool MayTry(const Backoff& backoff, Time now) {
  return !backoff.next_try || *backoff.next_try <= now;
}

}  // namespace fireweed
