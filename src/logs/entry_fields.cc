#include "logs/entry_fields.h"

#include <map>

#include "base/bytes.h"
#include "base/clock.h"
#include "describe/json_codec.h"

namespace fireweed::logs {
namespace {

using api::logging::LogEntry;
using Path = std::vector<std::string>;
using Kind = FieldValue::Kind;
using Labels = std::map<std::string, std::string>;

constexpr int kDeepest = 16;

std::optional<FieldValue> OfText(const std::string& text) {
  if (text.empty()) return std::nullopt;
  return FieldValue{Kind::kText, text};
}

std::optional<FieldValue> OfLabels(const Labels& labels, const Path& path, size_t at) {
  if (at == path.size()) {
    if (labels.empty()) return std::nullopt;
    return FieldValue{Kind::kTree, EncodeJson(labels)};
  }
  // Label keys may hold dots: the rest of the path is one key, if it is not one by itself.
  std::string key = path[at];
  for (size_t i = at + 1; i < path.size(); ++i) key += "." + path[i];
  auto it = labels.find(key);
  if (it == labels.end()) return std::nullopt;
  return FieldValue{Kind::kText, it->second};
}

FieldValue OfJson(std::string_view json) {
  if (json.starts_with('"')) return {Kind::kText, DecodeJson<std::string>(json)};
  if (json == "true" || json == "false") return {Kind::kBool, std::string(json)};
  if (json.starts_with('{') || json.starts_with('[')) return {Kind::kTree, std::string(json)};
  return {Kind::kNumber, std::string(json)};
}

// Adds what `path`, from `at` on, leads to in `json`. Lists are looked into at every level.
void AddOfTree(const std::string& json, const Path& path, size_t at, std::vector<FieldValue>& found,
               int depth = 0) {
  if (json.empty() || depth > kDeepest) return;
  if (json.starts_with('[')) {
    for (const Json& element : DecodeJson<std::vector<Json>>(json)) {
      AddOfTree(element.text, path, at, found, depth + 1);
    }
    return;
  }
  if (at == path.size()) {
    found.push_back(OfJson(json));
    return;
  }
  if (!json.starts_with('{')) return;
  auto members = DecodeJson<std::map<std::string, Json>>(json);
  auto it = members.find(path[at]);
  if (it != members.end()) AddOfTree(it->second.text, path, at + 1, found, depth + 1);
}

bool AnyOfTree(const std::string& json, const std::function<bool(std::string_view)>& visit,
               int depth) {
  if (json.empty() || depth > kDeepest) return false;
  if (json.starts_with('{')) {
    for (const auto& [name, member] : DecodeJson<std::map<std::string, Json>>(json)) {
      if (AnyOfTree(member.text, visit, depth + 1)) return true;
    }
    return false;
  }
  if (json.starts_with('[')) {
    for (const Json& member : DecodeJson<std::vector<Json>>(json)) {
      if (AnyOfTree(member.text, visit, depth + 1)) return true;
    }
    return false;
  }
  return visit(OfJson(json).text);
}

std::optional<FieldValue> OfResource(const LogEntry& entry, const Path& path) {
  if (path.size() < 2) return FieldValue{Kind::kTree, EncodeJson(entry.resource)};
  if (path[1] == "type" && path.size() == 2) return OfText(entry.resource.type);
  if (path[1] == "labels") return OfLabels(entry.resource.labels, path, 2);
  return std::nullopt;
}

// A field that has one value at most.
std::optional<FieldValue> PlainField(const LogEntry& entry, const Path& path) {
  const std::string& head = path[0];
  if (head == "labels") return OfLabels(entry.labels, path, 1);
  if (head == "resource") return OfResource(entry, path);
  if (path.size() > 1) return std::nullopt;
  if (head == "textPayload") return OfText(entry.textPayload);
  if (head == "severity") {
    return FieldValue{
        Kind::kSeverity,
        std::string(kEnumNames<api::logging::Severity>[static_cast<size_t>(entry.severity)])};
  }
  if (head == "logName") return OfText(entry.logName);
  if (head == "insertId") return OfText(entry.insertId);
  if (head == "timestamp") return FieldValue{Kind::kTime, FormatTime(entry.timestamp, 9)};
  if (head == "receiveTimestamp") {
    return FieldValue{Kind::kTime, FormatTime(entry.receiveTimestamp, 9)};
  }
  if (head == "trace") return OfText(entry.trace);
  if (head == "spanId") return OfText(entry.spanId);
  if (head == "traceSampled" && entry.traceSampled) {
    return FieldValue{Kind::kBool, *entry.traceSampled ? "true" : "false"};
  }
  return std::nullopt;
}

}  // namespace

std::vector<FieldValue> FieldsOf(const LogEntry& entry, const Path& path) {
  static const std::map<std::string_view, Json LogEntry::*> kTrees = {
      {"jsonPayload", &LogEntry::jsonPayload},       {"protoPayload", &LogEntry::protoPayload},
      {"httpRequest", &LogEntry::httpRequest},       {"operation", &LogEntry::operation},
      {"sourceLocation", &LogEntry::sourceLocation}, {"split", &LogEntry::split}};
  std::vector<FieldValue> found;
  auto tree = kTrees.find(path[0]);
  if (tree != kTrees.end()) {
    AddOfTree((entry.*tree->second).text, path, 1, found);
  } else if (std::optional<FieldValue> plain = PlainField(entry, path)) {
    found.push_back(*std::move(plain));
  }
  return found;
}

bool AnyText(const LogEntry& entry, const std::function<bool(std::string_view)>& visit) {
  for (const std::string* text : {&entry.textPayload, &entry.logName, &entry.insertId,
                                  &entry.resource.type, &entry.trace, &entry.spanId}) {
    if (!text->empty() && visit(*text)) return true;
  }
  for (const Labels* labels : {&entry.labels, &entry.resource.labels}) {
    for (const auto& [key, value] : *labels) {
      if (visit(value)) return true;
    }
  }
  for (const Json* tree : {&entry.jsonPayload, &entry.protoPayload, &entry.httpRequest,
                           &entry.operation, &entry.sourceLocation}) {
    if (AnyOfTree(tree->text, visit, 0)) return true;
  }
  return false;
}

std::optional<int> SeverityRank(std::string_view word) {
  constexpr auto& names = kEnumNames<api::logging::Severity>;
  for (size_t i = 0; i < names.size(); ++i) {
    if (EqualIgnoreCase(word, names[i]) || word == std::to_string(i * 100)) {
      return static_cast<int>(i);
    }
  }
  return std::nullopt;
}

}  // namespace fireweed::logs
