#include "base/log.h"

#include <unistd.h>

namespace fireweed {
namespace {

bool NeedsQuotes(std::string_view value) {
  if (value.empty()) return true;
  for (unsigned char c : value) {
    if (c <= ' ' || c == '"' || c == '=' || c == '\\' || c == 127) return true;
  }
  return false;
}

void AppendQuoted(std::string& out, std::string_view value) {
  out += '"';
  for (char c : value) {
    switch (c) {
      case '"': out += "\\\""; break;
      case '\\': out += "\\\\"; break;
      case '\n': out += "\\n"; break;
      case '\r': out += "\\r"; break;
      case '\t': out += "\\t"; break;
      default:
        if (static_cast<unsigned char>(c) < ' ' || c == 127) {
          out += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
        } else {
          out += c;
        }
    }
  }
  out += '"';
}

}  // namespace

std::string_view LogLevelName(LogLevel level) {
  switch (level) {
    case LogLevel::kDebug: return "debug";
    case LogLevel::kInfo: return "info";
    case LogLevel::kWarning: return "warning";
    case LogLevel::kError: return "error";
  }
  return "error";
}

std::string FormatLogLine(Time now, LogLevel level, std::string_view what,
                          std::initializer_list<LogField> fields) {
  std::string out = fmt::format("{} {} {}", FormatTime(now), LogLevelName(level), what);
  for (const LogField& field : fields) {
    out += fmt::format(" {}=", field.name);
    if (NeedsQuotes(field.value)) {
      AppendQuoted(out, field.value);
    } else {
      out += field.value;
    }
  }
  return out;
}

void FdLogger::Line(LogLevel level, std::string_view what, std::initializer_list<LogField> fields) {
  if (level < least_) return;
  std::string line = FormatLogLine(clock_.Now(), level, what, fields) + "\n";
  // One write keeps lines whole between threads; a log that cannot be written must not stop the work.
  [[maybe_unused]] ssize_t written = write(fd_, line.data(), line.size());
}

}  // namespace fireweed
