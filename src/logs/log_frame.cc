#include "logs/log_frame.h"

#include <cstring>

#include "base/bytes.h"
#include "base/checksum.h"
#include "describe/json_codec.h"

namespace fireweed {
namespace logs {

// The fields that few entries have, together as one JSON text behind the line.
struct RareFields {
  Json httpRequest, operation, sourceLocation, split;
  std::string trace, spanId;
  std::optional<bool> traceSampled;
};

}  // namespace logs

template <>
inline constexpr auto kFields<logs::RareFields> = [](auto...) {
  return Fields{F("httpRequest", &logs::RareFields::httpRequest),
                F("operation", &logs::RareFields::operation),
                F("sourceLocation", &logs::RareFields::sourceLocation),
                F("split", &logs::RareFields::split),
                F("trace", &logs::RareFields::trace),
                F("spanId", &logs::RareFields::spanId),
                F("traceSampled", &logs::RareFields::traceSampled)};
};

namespace logs {
namespace {

using api::logging::LogEntry;
using api::logging::Severity;

enum class Payload : uint8_t { kNone, kText, kJson, kProto };

constexpr size_t kTimeAt = 4, kLineHead = 4 + 8 + 8 + 2;

template <class T>
void Put(std::string& out, T value) {
  char bytes[sizeof value];
  for (size_t i = 0; i < sizeof value; ++i) {
    bytes[i] = static_cast<char>(static_cast<uint64_t>(value) >> (8 * i));
  }
  out.append(bytes, sizeof bytes);
}

template <class T>
T Get(std::string_view bytes, size_t at) {
  if (bytes.size() < at + sizeof(T)) throw Failure(Code::kInternal, "a log frame is too short");
  uint64_t value = 0;
  for (size_t i = 0; i < sizeof(T); ++i) {
    value |= static_cast<uint64_t>(static_cast<unsigned char>(bytes[at + i])) << (8 * i);
  }
  return static_cast<T>(value);
}

void PutText(std::string& out, std::string_view text) {
  Put(out, static_cast<uint32_t>(text.size()));
  out += text;
}

std::string_view GetText(std::string_view bytes, size_t& at) {
  size_t size = Get<uint32_t>(bytes, at);
  at += 4;
  if (bytes.size() - at < size) throw Failure(Code::kInternal, "a log frame is too short");
  std::string_view text = bytes.substr(at, size);
  at += size;
  return text;
}

int64_t Nanos(Time time) { return time.time_since_epoch().count(); }

// Leaves room for the head, lets `fill` write the payload, and fills the head in.
template <class Fill>
void AppendFrame(std::string& out, FrameView::Kind kind, const Fill& fill) {
  size_t begin = out.size();
  out.append(kFrameHead, '\0');
  out += static_cast<char>(kind);
  fill();
  std::string_view payload = std::string_view(out).substr(begin + kFrameHead);
  std::string head;
  Put(head, static_cast<uint32_t>(payload.size()));
  Put(head, Crc32c(AsBytes(payload)));
  std::memcpy(out.data() + begin, head.data(), kFrameHead);
}

// What a line frame holds.
struct LineParts {
  uint32_t context;
  Time time, received;
  Severity severity;
  Payload kind;
  std::string_view insert_id, payload, rare;
};

void AppendLine(std::string& out, const LineParts& parts) {
  AppendFrame(out, FrameView::Kind::kLine, [&] {
    Put(out, parts.context);
    Put(out, Nanos(parts.time));
    Put(out, Nanos(parts.received));
    Put(out, static_cast<uint8_t>(parts.severity));
    Put(out, static_cast<uint8_t>(parts.kind));
    PutText(out, parts.insert_id);
    PutText(out, parts.payload);
    PutText(out, parts.rare);
  });
}

std::string RareJson(const LogEntry& entry) {
  bool any = !entry.httpRequest.text.empty() || !entry.operation.text.empty() ||
             !entry.sourceLocation.text.empty() || !entry.split.text.empty() ||
             !entry.trace.empty() || !entry.spanId.empty() || entry.traceSampled;
  if (!any) return "";
  return EncodeJson(RareFields{entry.httpRequest, entry.operation, entry.sourceLocation,
                               entry.split, entry.trace, entry.spanId, entry.traceSampled});
}

}  // namespace

void AppendContextFrame(std::string& out, uint32_t id, const std::string& context_json) {
  AppendFrame(out, FrameView::Kind::kContext, [&] {
    Put(out, id);
    out += context_json;
  });
}

void AppendLineFrame(std::string& out, uint32_t context, const LogEntry& entry) {
  Payload kind = !entry.jsonPayload.text.empty()    ? Payload::kJson
                 : !entry.protoPayload.text.empty() ? Payload::kProto
                 : !entry.textPayload.empty()       ? Payload::kText
                                                    : Payload::kNone;
  std::string_view payload = kind == Payload::kJson    ? entry.jsonPayload.text
                             : kind == Payload::kProto ? entry.protoPayload.text
                                                       : entry.textPayload;
  AppendLine(out, {context, entry.timestamp, entry.receiveTimestamp, entry.severity, kind,
                   entry.insertId, payload, RareJson(entry)});
}

void AppendLineFrame(std::string& out, uint32_t context, const LogLine& line) {
  bool json = !line.jsonPayload.text.empty();
  AppendLine(out, {context, line.timestamp, line.receiveTimestamp, line.severity,
                   json                       ? Payload::kJson
                   : line.textPayload.empty() ? Payload::kNone
                                              : Payload::kText,
                   line.insertId, json ? line.jsonPayload.text : line.textPayload, ""});
}

std::optional<FrameView> ReadFrame(std::string_view bytes) {
  if (bytes.size() < kFrameHead + 1) return std::nullopt;
  size_t size = Get<uint32_t>(bytes, 0);
  if (size < 1 || size > kLargestFrame || bytes.size() - kFrameHead < size) return std::nullopt;
  std::string_view payload = bytes.substr(kFrameHead, size);
  if (Crc32c(AsBytes(payload)) != Get<uint32_t>(bytes, 4)) return std::nullopt;
  auto kind = static_cast<FrameView::Kind>(payload[0]);
  if (kind != FrameView::Kind::kContext && kind != FrameView::Kind::kLine) return std::nullopt;
  return FrameView{kind, payload.substr(1), kFrameHead + size};
}

std::pair<uint32_t, LogContext> ReadContext(std::string_view payload) {
  auto id = Get<uint32_t>(payload, 0);
  return {id, DecodeJson<LogContext>(payload.substr(4))};
}

int64_t LineTime(std::string_view payload) { return Get<int64_t>(payload, kTimeAt); }

uint32_t LineContext(std::string_view payload) { return Get<uint32_t>(payload, 0); }

LogEntry ReadLine(std::string_view payload, const LogContext& context) {
  LogEntry entry;
  entry.logName = context.logName;
  entry.resource = context.resource;
  entry.labels = context.labels;
  entry.timestamp = Time(Duration(LineTime(payload)));
  entry.receiveTimestamp = Time(Duration(Get<int64_t>(payload, kTimeAt + 8)));
  entry.severity = static_cast<Severity>(Get<uint8_t>(payload, kTimeAt + 16));
  auto kind = static_cast<Payload>(Get<uint8_t>(payload, kTimeAt + 17));
  size_t at = kLineHead;
  entry.insertId = GetText(payload, at);
  std::string text(GetText(payload, at));
  if (kind == Payload::kJson) {
    entry.jsonPayload.text = std::move(text);
  } else if (kind == Payload::kProto) {
    entry.protoPayload.text = std::move(text);
  } else {
    entry.textPayload = std::move(text);
  }
  std::string_view rare = GetText(payload, at);
  if (rare.empty()) return entry;
  auto fields = DecodeJson<RareFields>(rare);
  entry.httpRequest = std::move(fields.httpRequest);
  entry.operation = std::move(fields.operation);
  entry.sourceLocation = std::move(fields.sourceLocation);
  entry.split = std::move(fields.split);
  entry.trace = std::move(fields.trace);
  entry.spanId = std::move(fields.spanId);
  entry.traceSampled = fields.traceSampled;
  return entry;
}

std::string ContextJson(const LogEntry& entry) {
  return EncodeJson(LogContext{entry.logName, entry.resource, entry.labels});
}

}  // namespace logs
}  // namespace fireweed
