// One structured line per state change:
//   2026-11-15T07:00:00.123Z info instance started id=4711 driver=crun took=0.041
// Never inside plans; an error is logged where it is handled, once. Secrets are never arguments.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include <fmt/format.h>

#include "base/clock.h"

namespace fireweed {

enum class LogLevel { kDebug, kInfo, kWarning, kError };

struct LogField {
  template <class T>
  LogField(std::string_view name, const T& value) : name(name), value(fmt::format("{}", value)) {}
  std::string_view name;
  std::string value;
};

class Logger {
 public:
  virtual ~Logger() = default;
  // Any thread; may block for one write(2).
  void Debug(std::string_view what, std::initializer_list<LogField> fields = {}) {
    Line(LogLevel::kDebug, what, fields);
  }
  void Info(std::string_view what, std::initializer_list<LogField> fields = {}) {
    Line(LogLevel::kInfo, what, fields);
  }
  void Warning(std::string_view what, std::initializer_list<LogField> fields = {}) {
    Line(LogLevel::kWarning, what, fields);
  }
  void Error(std::string_view what, std::initializer_list<LogField> fields = {}) {
    Line(LogLevel::kError, what, fields);
  }

 protected:
  virtual void Line(LogLevel level, std::string_view what,
                    std::initializer_list<LogField> fields) = 0;
};

// Writes whole lines to a file descriptor; values with spaces or quotes are quoted and escaped.
class FdLogger final : public Logger {
 public:
  FdLogger(int fd, const Clock& clock, LogLevel least) : fd_(fd), clock_(clock), least_(least) {}

 private:
  void Line(LogLevel level, std::string_view what, std::initializer_list<LogField> fields) override;

  int fd_;
  const Clock& clock_;
  LogLevel least_;
};

class NullLogger final : public Logger {
 private:
  void Line(LogLevel, std::string_view, std::initializer_list<LogField>) override {}
};

// The line without its line end, for FdLogger and its test.
std::string FormatLogLine(Time now, LogLevel level, std::string_view what,
                          std::initializer_list<LogField> fields);
std::string_view LogLevelName(LogLevel level);

}  // namespace fireweed
