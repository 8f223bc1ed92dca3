#include "cli/format/transforms.h"

#include <algorithm>
#include <cstdlib>

#include <fmt/format.h>
#include <time.h>

#include "base/bytes.h"
#include "base/clock.h"
#include "base/error.h"
#include "cli/format/key_path.h"

namespace fireweed::cli {
namespace {

using Values = std::vector<JsonTree>;

std::vector<std::string> Split(std::string_view text, std::string_view separator) {
  std::vector<std::string> parts;
  while (!separator.empty()) {
    size_t at = text.find(separator);
    parts.emplace_back(text.substr(0, at));
    if (at == std::string_view::npos) break;
    text.remove_prefix(at + separator.size());
  }
  return parts;
}

bool IsTrue(const JsonTree& value) {
  if (value.IsList()) return !value.items().empty();
  if (value.IsObject()) return !value.members().empty();
  return !value.text().empty() && value.text() != "false" && value.text() != "0";
}

JsonTree OrUndefined(const JsonTree& value, const std::string& undefined) {
  return value.IsNull() || (value.IsScalar() && value.text().empty()) ? JsonTree::Text(undefined)
                                                                      : value;
}

JsonTree Basename(const Transform& transform, const JsonTree& value) {
  if (value.IsNull()) return JsonTree::Text(transform.Argument(0, "undefined", ""));
  return JsonTree::Text(value.text().substr(value.text().rfind('/') + 1));
}

// "zones/us-central1-a/..." : what follows the word, up to the next '/'.
JsonTree Scope(const Transform& transform, const JsonTree& value) {
  std::string word = transform.Argument(0, "set", "");
  const std::string& url = value.text();
  for (const std::string& name :
       word.empty() ? std::vector<std::string>{"regions", "zones", "projects", "global"}
                    : std::vector<std::string>{word}) {
    size_t at = url.find("/" + name + "/");
    if (at != std::string::npos) return JsonTree::Text(url.substr(at + name.size() + 2));
  }
  return value;
}

JsonTree Segment(const Transform& transform, const JsonTree& value) {
  std::vector<std::string> parts = Split(value.text(), "/");
  int index = std::atoi(transform.Argument(0, "index", "-1").c_str());
  int at = index < 0 ? static_cast<int>(parts.size()) + index : index;
  return at < 0 || at >= static_cast<int>(parts.size())
             ? JsonTree::Text(transform.Argument(1, "undefined", ""))
             : JsonTree::Text(parts[static_cast<size_t>(at)]);
}

JsonTree Join(const Transform& transform, const JsonTree& value, std::string_view usual) {
  if (value.IsNull()) return JsonTree::Text(transform.Argument(1, "undefined", ""));
  return JsonTree::Text(OneLine(value, transform.Argument(0, "separator", usual)));
}

JsonTree SplitText(const Transform& transform, const JsonTree& value) {
  Values parts;
  for (const std::string& part : Split(value.text(), transform.Argument(0, "sep", "/")))
    parts.push_back(JsonTree::Text(part));
  return JsonTree::List(std::move(parts));
}

JsonTree Length(const Transform&, const JsonTree& value) {
  size_t count = value.IsList()     ? value.items().size()
                 : value.IsObject() ? value.members().size()
                                    : value.text().size();
  return JsonTree::Number(static_cast<int64_t>(count));
}

JsonTree Size(const Transform& transform, const JsonTree& value) {
  if (value.IsNull()) return JsonTree::Text(transform.Argument(1, "undefined", "-"));
  return JsonTree::Text(SizeText(std::strtoll(value.text().c_str(), nullptr, 10)));
}

JsonTree Date(const Transform& transform, const JsonTree& value) {
  std::optional<Time> time = ParseTime(value.text());
  if (!time) return JsonTree::Text(transform.Argument(2, "undefined", value.text()));
  time_t seconds = ToSeconds(*time);
  struct tm parts;
  bool local = transform.Argument(3, "tz", "") == "LOCAL";
  local ? localtime_r(&seconds, &parts) : gmtime_r(&seconds, &parts);
  char text[256];
  std::string format = transform.Argument(0, "format", "%Y-%m-%dT%H:%M:%S");
  return JsonTree::Text(std::string(text, strftime(text, sizeof text, format.c_str(), &parts)));
}

JsonTree YesNo(const Transform& transform, const JsonTree& value) {
  bool yes = IsTrue(value);
  std::string usual = yes && value.IsScalar() ? value.text() : yes ? "Yes" : "No";
  return JsonTree::Text(yes ? transform.Argument(0, "yes", usual)
                            : transform.Argument(1, "no", "No"));
}

JsonTree Extract(const Transform& transform, const JsonTree& value) {
  Values found;
  for (const std::string& key : transform.arguments) {
    JsonTree part = KeyPath::Parse(key).Get(value);
    if (!part.IsNull()) found.push_back(std::move(part));
  }
  return JsonTree::List(std::move(found));
}

JsonTree Case(const JsonTree& value, int (*change)(int)) {
  std::string text = value.text();
  std::transform(text.begin(), text.end(), text.begin(),
                 [&](char c) { return static_cast<char>(change(static_cast<unsigned char>(c))); });
  return JsonTree::Text(text);
}

JsonTree First(const Transform&, const JsonTree& value) {
  return value.IsList() ? (value.items().empty() ? JsonTree() : value.items().front()) : value;
}

JsonTree Decode(const Transform& transform, const JsonTree& value) {
  bool base64 = transform.Argument(0, "encoding", "base64") == "base64";
  return JsonTree::Text(base64 ? Base64Decode(value.text()).value_or("") : value.text());
}

struct Entry {
  std::string_view name;
  JsonTree (*apply)(const Transform&, const JsonTree&);
};

constexpr Entry kTransforms[] = {
    {"always", [](const Transform&, const JsonTree& v) { return v; }},
    {"basename", Basename},
    {"date", Date},
    {"decode", Decode},
    {"encode",
     [](const Transform&, const JsonTree& v) { return JsonTree::Text(Base64Encode(v.text())); }},
    {"extract", Extract},
    {"first", First},
    {"join", [](const Transform& t, const JsonTree& v) { return Join(t, v, "/"); }},
    {"len", Length},
    {"list", [](const Transform& t, const JsonTree& v) { return Join(t, v, ","); }},
    {"lower", [](const Transform&, const JsonTree& v) { return Case(v, tolower); }},
    {"scope", Scope},
    {"segment", Segment},
    {"size", Size},
    {"split", SplitText},
    {"undefined",
     [](const Transform& t, const JsonTree& v) { return OrUndefined(v, t.Argument(0, "", "")); }},
    {"upper", [](const Transform&, const JsonTree& v) { return Case(v, toupper); }},
    {"yesno", YesNo},
};

const Entry* FindEntry(std::string_view name) {
  for (const Entry& entry : kTransforms) {
    if (entry.name == name) return &entry;
  }
  return nullptr;
}

// These look at a list as a whole; the others at each of its items.
bool TakesLists(std::string_view name) {
  for (std::string_view whole : {"always", "extract", "first", "join", "len", "list", "yesno"}) {
    if (name == whole) return true;
  }
  return false;
}

}  // namespace

std::string Transform::Argument(size_t i, std::string_view key, std::string_view fallback) const {
  if (auto found = named.find(std::string(key)); found != named.end()) return found->second;
  return i < arguments.size() ? arguments[i] : std::string(fallback);
}

bool IsTransform(std::string_view name) { return FindEntry(name) != nullptr; }

std::vector<std::string_view> TransformNames() {
  std::vector<std::string_view> names;
  for (const Entry& entry : kTransforms) names.push_back(entry.name);
  return names;
}

JsonTree ApplyTransform(const Transform& transform, const JsonTree& value) {
  const Entry* entry = FindEntry(transform.name);
  if (!entry) {
    throw Failure(Code::kInvalid, fmt::format("--format: unknown transform {}(); supported: {}",
                                              transform.name, fmt::join(TransformNames(), ", ")));
  }
  if (!value.IsList() || TakesLists(transform.name)) return entry->apply(transform, value);
  Values items;
  for (const JsonTree& item : value.items()) items.push_back(entry->apply(transform, item));
  return JsonTree::List(std::move(items));
}

std::string SizeText(int64_t bytes) {
  if (bytes < 1024) return fmt::format("{} B", bytes);
  constexpr std::string_view kUnits[] = {"KiB", "MiB", "GiB", "TiB", "PiB"};
  double value = static_cast<double>(bytes) / 1024;
  size_t unit = 0;
  while (value >= 1024 && unit + 1 < std::size(kUnits)) {
    value /= 1024;
    ++unit;
  }
  std::string text = fmt::format("{:.2f}", value);
  while (text.ends_with('0')) text.pop_back();
  if (text.ends_with('.')) text.pop_back();
  return fmt::format("{} {}", text, kUnits[unit]);
}

std::string OneLine(const JsonTree& value, std::string_view separator) {
  std::vector<std::string> parts;
  for (const JsonTree& item : value.items()) {
    parts.push_back(item.IsScalar() ? item.text() : OneLine(item, ","));
  }
  for (const auto& [key, item] : value.members()) {
    parts.push_back(fmt::format("{}={}", key, item.IsScalar() ? item.text() : OneLine(item, ",")));
  }
  return value.IsScalar() ? value.text() : fmt::format("{}", fmt::join(parts, separator));
}

}  // namespace fireweed::cli
