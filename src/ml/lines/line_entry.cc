#include "ml/lines/line_entry.h"

#include <array>
#include <cctype>
#include <optional>
#include <string_view>
#include <utility>

#include "base/bytes.h"
#include "describe/json_codec.h"

namespace fireweed::ml {
namespace {

using api::logging::Severity;

struct Level {
  std::string_view word;
  Severity severity;
};
constexpr std::array kLevels{
    Level{"DEBUG", Severity::kDebug},       Level{"INFO", Severity::kInfo},
    Level{"NOTICE", Severity::kNotice},     Level{"WARNING", Severity::kWarning},
    Level{"WARN", Severity::kWarning},      Level{"ERROR", Severity::kError},
    Level{"CRITICAL", Severity::kCritical}, Level{"FATAL", Severity::kCritical},
    Level{"ALERT", Severity::kAlert},       Level{"EMERGENCY", Severity::kEmergency}};

std::optional<Severity> SeverityByWord(std::string_view word) {
  for (const Level& level : kLevels) {
    if (EqualIgnoreCase(word, level.word)) return level.severity;
  }
  return std::nullopt;
}

std::optional<Severity> SeverityByLetter(char letter) {
  switch (letter) {
    case 'D': return Severity::kDebug;
    case 'I': return Severity::kInfo;
    case 'W': return Severity::kWarning;
    case 'E': return Severity::kError;
    case 'F': return Severity::kCritical;
    default: return std::nullopt;
  }
}

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

// "INFO:name:", as Python's logging prints without being told otherwise.
std::optional<Severity> PythonLevel(std::string_view line) {
  constexpr size_t kLongestWord = 9;
  size_t colon = line.substr(0, kLongestWord + 1).find(':');
  if (colon == line.npos || line.find(':', colon + 1) == line.npos) return std::nullopt;
  std::string_view word = line.substr(0, colon);
  for (const Level& level : kLevels) {
    if (word == level.word) return level.severity;
  }
  return std::nullopt;
}

// "W1115 07:00:00" and "2026-11-15 07:00:00.123456: W ".
std::optional<Severity> NativeLevel(std::string_view line) {
  if (line.size() > 8 && IsDigit(line[1]) && IsDigit(line[4]) && line[5] == ' ' &&
      IsDigit(line[6])) {
    return SeverityByLetter(line[0]);
  }
  constexpr size_t kSearch = 40;
  bool dated = line.size() > 20 && IsDigit(line[0]) && line[4] == '-' && line[10] == ' ';
  size_t colon = dated ? line.substr(0, kSearch).find(": ", 17) : line.npos;
  if (colon == line.npos || colon + 3 >= line.size() || line[colon + 3] != ' ') return std::nullopt;
  return SeverityByLetter(line[colon + 2]);
}

// The few members of a structured line that mean something here; the rest of it is kept as it is.
struct Structured {
  std::string severity, levelname, level, message;
};

}  // namespace
}  // namespace fireweed::ml

namespace fireweed {
template <>
inline constexpr auto kFields<ml::Structured> = [](auto...) {
  return Fields{F("severity", &ml::Structured::severity),
                F("levelname", &ml::Structured::levelname), F("level", &ml::Structured::level),
                F("message", &ml::Structured::message)};
};
}  // namespace fireweed

namespace fireweed::ml {
namespace {

// False: an object of another kind, or none at all.
bool FillStructured(logs::LogLine& line, std::string_view text) {
  Structured seen;
  try {
    seen = DecodeJson<Structured>(text);
  } catch (const Failure&) {
    return false;
  }
  if (seen.message.empty()) return false;
  line.jsonPayload.text = text;
  for (const std::string* word : {&seen.severity, &seen.levelname, &seen.level}) {
    if (std::optional<Severity> severity = SeverityByWord(*word)) {
      line.severity = *severity;
      break;
    }
  }
  return true;
}

}  // namespace

bool FillPayload(logs::LogLine& line, std::string text, Severity plain,
                 std::optional<Severity> goes_on) {
  line.severity = plain;
  std::string_view words = Trim(text);
  if (words.starts_with('{') && words.ends_with('}') && FillStructured(line, words)) return false;
  std::optional<Severity> said = PythonLevel(words);
  if (!said) said = NativeLevel(words);
  line.severity = said ? *said : goes_on.value_or(plain);
  line.textPayload = std::move(text);
  return said.has_value();
}

}  // namespace fireweed::ml
