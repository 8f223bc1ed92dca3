// The only source of time. Production code gets a Clock handed in; nothing else may read the system's.
#pragma once

#include <chrono>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

namespace fireweed {

using Duration = std::chrono::nanoseconds;
using Time = std::chrono::time_point<std::chrono::system_clock, Duration>;

class Clock {
 public:
  virtual ~Clock() = default;
  // Any thread; does not block.
  virtual Time Now() const = 0;
};

class SystemClock final : public Clock {
 public:
  Time Now() const override;
};

// Time that never repeats and never goes back, even where the wall clock does: generations, ids, log order.
// Starts above `floor`, which the owner restores from what was last stored.
class MonotonicTime {
 public:
  explicit MonotonicTime(const Clock& clock, Time floor = {}) : clock_(clock), last_(floor) {}
  // Any thread. Strictly greater than every earlier answer, in whole microseconds.
  Time Next();

 private:
  const Clock& clock_;
  std::mutex mu_;
  Time last_;  // guarded by mu_
};

// RFC 3339 in UTC with `digits` decimals (0, 3, 6 or 9): "2026-11-15T07:00:00.123Z".
std::string FormatTime(Time time, int digits = 3);
// Accepts any number of decimals, 'Z', "+00:00" and "+0000".
std::optional<Time> ParseTime(std::string_view text);
// "Sun, 15 Nov 2026 07:00:00 GMT", as HTTP headers want it.
std::string FormatHttpDate(Time time);

inline int64_t ToMicros(Time time) {
  return std::chrono::duration_cast<std::chrono::microseconds>(time.time_since_epoch()).count();
}
inline Time FromMicros(int64_t micros) { return Time(std::chrono::microseconds(micros)); }
inline int64_t ToSeconds(Time time) {
  return std::chrono::floor<std::chrono::seconds>(time).time_since_epoch().count();
}

}  // namespace fireweed
