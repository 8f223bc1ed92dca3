#include "base/clock.h"

#include <array>
#include <ctime>

#include <fmt/format.h>

namespace fireweed {
namespace {

std::tm ToUtc(Time time) {
  std::time_t seconds = ToSeconds(time);
  std::tm utc{};
  gmtime_r(&seconds, &utc);
  return utc;
}

// Reads exactly `count` digits at `pos`; -1 when they are not there.
int Digits(std::string_view text, size_t pos, size_t count) {
  if (pos + count > text.size()) return -1;
  int value = 0;
  for (size_t i = pos; i < pos + count; ++i) {
    if (text[i] < '0' || text[i] > '9') return -1;
    value = value * 10 + (text[i] - '0');
  }
  return value;
}

// The zone suffix as minutes east of UTC.
std::optional<int> ZoneMinutes(std::string_view zone) {
  if (zone == "Z" || zone == "z") return 0;
  if (zone.size() < 5 || (zone[0] != '+' && zone[0] != '-')) return std::nullopt;
  bool colon = zone[3] == ':';
  if (zone.size() != (colon ? 6u : 5u)) return std::nullopt;
  int hours = Digits(zone, 1, 2), minutes = Digits(zone, colon ? 4 : 3, 2);
  if (hours < 0 || minutes < 0 || hours > 23 || minutes > 59) return std::nullopt;
  int total = hours * 60 + minutes;
  return zone[0] == '-' ? -total : total;
}

// What 64 bits of nanoseconds hold, and a little less. Times beyond ("0001-01-01", "9999-12-31") mean always and never:
// they become the first and the last that there are.
constexpr std::chrono::year kFirstYear{1678}, kLastYear{2261};

constexpr int kNanoDigits = 9;

// `separator`, then `value` in so many digits, at most nine. By hand: each object of a reply has four times.
void AppendDigits(std::string& out, char separator, int64_t value, int digits) {
  std::array<char, kNanoDigits> text;
  for (int i = digits; i-- > 0; value /= 10) {
    text[static_cast<size_t>(i)] = static_cast<char>('0' + value % 10);
  }
  if (separator != 0) out += separator;
  out.append(text.data(), static_cast<size_t>(digits));
}

}  // namespace

Time SystemClock::Now() const {
  return std::chrono::time_point_cast<Duration>(std::chrono::system_clock::now());
}

Time MonotonicTime::Next() {
  Time now = std::chrono::floor<std::chrono::microseconds>(clock_.Now());
  std::lock_guard lock(mu_);
  last_ = now > last_ ? now : last_ + std::chrono::microseconds(1);
  return last_;
}

std::string FormatTime(Time time, int digits) {
  std::tm utc = ToUtc(time);
  std::string out;
  out.reserve(32);
  AppendDigits(out, 0, utc.tm_year + 1900, 4);
  AppendDigits(out, '-', utc.tm_mon + 1, 2);
  AppendDigits(out, '-', utc.tm_mday, 2);
  AppendDigits(out, 'T', utc.tm_hour, 2);
  AppendDigits(out, ':', utc.tm_min, 2);
  AppendDigits(out, ':', utc.tm_sec, 2);
  if (digits > 0) {
    auto whole = std::chrono::floor<std::chrono::seconds>(time);
    AppendDigits(out, '.', (time - whole).count(), kNanoDigits);
    out.resize(out.size() - static_cast<size_t>(kNanoDigits - digits));
  }
  out += 'Z';
  return out;
}

std::optional<Time> ParseTime(std::string_view text) {
  if (text.size() < 20 || text[4] != '-' || text[7] != '-' ||
      (text[10] != 'T' && text[10] != 't') || text[13] != ':' || text[16] != ':') {
    return std::nullopt;
  }
  int year = Digits(text, 0, 4), month = Digits(text, 5, 2), day = Digits(text, 8, 2);
  int hour = Digits(text, 11, 2), minute = Digits(text, 14, 2), second = Digits(text, 17, 2);
  if (year < 0 || hour < 0 || hour > 23 || minute < 0 || minute > 59 || second < 0 || second > 60) {
    return std::nullopt;
  }
  std::chrono::year_month_day date{std::chrono::year(year), std::chrono::month(unsigned(month)),
                                   std::chrono::day(unsigned(day))};
  if (month < 1 || day < 1 || !date.ok()) return std::nullopt;
  size_t pos = 19;
  int64_t nanos = 0, unit = 100'000'000;
  if (text[pos] == '.') {
    size_t first = ++pos;
    for (; pos < text.size() && text[pos] >= '0' && text[pos] <= '9'; ++pos, unit /= 10) {
      nanos += (text[pos] - '0') * unit;
    }
    if (pos == first) return std::nullopt;
  }
  std::optional<int> zone = ZoneMinutes(text.substr(pos));
  if (!zone) return std::nullopt;
  if (std::chrono::year(year) < kFirstYear) return Time(std::chrono::sys_days(kFirstYear / 1 / 1));
  if (std::chrono::year(year) > kLastYear) return Time(std::chrono::sys_days(kLastYear / 12 / 31));
  return Time(std::chrono::sys_days(date)) + std::chrono::hours(hour) +
         std::chrono::minutes(minute - *zone) + std::chrono::seconds(second) + Duration(nanos);
}

std::string FormatHttpDate(Time time) {
  static constexpr const char* kDays[] = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
  static constexpr const char* kMonths[] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                            "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  std::tm utc = ToUtc(time);
  return fmt::format("{}, {:02} {} {:04} {:02}:{:02}:{:02} GMT", kDays[utc.tm_wday], utc.tm_mday,
                     kMonths[utc.tm_mon], utc.tm_year + 1900, utc.tm_hour, utc.tm_min, utc.tm_sec);
}

}  // namespace fireweed
