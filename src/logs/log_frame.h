// The bytes of a log segment (docs/formats/log-store.md): a row of frames, each with its length and checksum. A
// context frame holds what many lines share; a line frame names its context by number. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "api/logging/entry.h"
#include "logs/log_line.h"

namespace fireweed::logs {

inline constexpr size_t kFrameHead = 8;           // length and checksum
inline constexpr size_t kLargestFrame = 1 << 20;  // payload; a longer one is damage

// What most entries of a stream have in common.
struct LogContext {
  std::string logName;
  api::logging::MonitoredResource resource;
  std::map<std::string, std::string> labels;
};

struct FrameView {
  enum class Kind : uint8_t { kContext = 1, kLine = 2 };
  Kind kind = Kind::kLine;
  std::string_view payload;  // after the kind
  size_t size = 0;           // of the whole frame
};

// Append a frame to `out`.
void AppendContextFrame(std::string& out, uint32_t id, const std::string& context_json);
void AppendLineFrame(std::string& out, uint32_t context, const api::logging::LogEntry& entry);
void AppendLineFrame(std::string& out, uint32_t context, const LogLine& line);

// The frame at the beginning of `bytes`; nullopt when it is cut off or damaged.
std::optional<FrameView> ReadFrame(std::string_view bytes);

// Throw Failure(kInternal) on bytes that no writer makes.
std::pair<uint32_t, LogContext> ReadContext(std::string_view payload);
int64_t LineTime(std::string_view payload);  // nanoseconds, without reading the rest
uint32_t LineContext(std::string_view payload);
api::logging::LogEntry ReadLine(std::string_view payload, const LogContext& context);

// The part of an entry that goes to its context, as text: equal texts share one.
std::string ContextJson(const api::logging::LogEntry& entry);

}  // namespace fireweed::logs

namespace fireweed {
template <>
inline constexpr auto kFields<logs::LogContext> = [](auto...) {
  return Fields{F("logName", &logs::LogContext::logName),
                F("resource", &logs::LogContext::resource), F("labels", &logs::LogContext::labels)};
};
}  // namespace fireweed
