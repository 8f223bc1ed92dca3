#include "cli/format/key_path.h"

#include <charconv>

#include <fmt/format.h>

#include "base/error.h"

namespace fireweed::cli {
namespace {

bool IsNameCharacter(char c) {
  return isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '-' || c == '/' || c == '*' ||
         c == '@' || c == '%' || static_cast<unsigned char>(c) >= 0x80;
}

}  // namespace

KeyPath KeyPath::Take(std::string_view& text) {
  KeyPath path;
  while (!text.empty()) {
    if (text.front() == '[') {
      size_t close = text.find(']');
      if (close == std::string_view::npos) {
        throw Failure(Code::kInvalid, fmt::format("'[' is not closed in '{}'", text));
      }
      std::string_view inside = text.substr(1, close - 1);
      Step step;
      step.kind = inside.empty() ? Step::Kind::kAll : Step::Kind::kIndex;
      auto [end, error] = std::from_chars(inside.data(), inside.data() + inside.size(), step.index);
      if (!inside.empty() && (error != std::errc() || end != inside.data() + inside.size())) {
        step.kind = Step::Kind::kName;
        step.name = inside;
      }
      path.steps_.push_back(step);
      text.remove_prefix(close + 1);
      continue;
    }
    std::string_view rest = text;
    if (rest.front() == '.') rest.remove_prefix(1);
    size_t length = 0;
    while (length < rest.size() && IsNameCharacter(rest[length])) ++length;
    if (length == 0 || (length < rest.size() && rest[length] == '(')) break;
    path.steps_.push_back({Step::Kind::kName, std::string(rest.substr(0, length)), 0});
    text = rest.substr(length);
  }
  return path;
}

KeyPath KeyPath::Parse(std::string_view text) {
  std::string_view rest = text;
  KeyPath path = Take(rest);
  if (!rest.empty()) throw Failure(Code::kInvalid, fmt::format("invalid field name '{}'", text));
  return path;
}

JsonTree KeyPath::GetNamed(const JsonTree& list, const std::vector<Step>& steps, size_t at) {
  for (const JsonTree& item : list.items()) {
    const JsonTree* key = item.Find("key");
    const JsonTree* value = item.Find("value");
    if (key && value && key->text() == steps[at].name) return GetFrom(*value, steps, at + 1);
  }
  std::vector<JsonTree> found;
  for (const JsonTree& item : list.items()) {
    JsonTree value = GetFrom(item, steps, at);
    if (!value.IsNull()) found.push_back(std::move(value));
  }
  return found.empty() ? JsonTree() : JsonTree::List(std::move(found));
}

JsonTree KeyPath::GetFrom(const JsonTree& value, const std::vector<Step>& steps, size_t at) {
  if (at == steps.size()) return value;
  const Step& step = steps[at];
  switch (step.kind) {
    case Step::Kind::kIndex: {
      if (!value.IsList()) return {};
      int count = static_cast<int>(value.items().size());
      int index = step.index < 0 ? count + step.index : step.index;
      return index < 0 || index >= count
                 ? JsonTree()
                 : GetFrom(value.items()[static_cast<size_t>(index)], steps, at + 1);
    }
    case Step::Kind::kAll: {
      if (!value.IsList()) return GetFrom(value, steps, at + 1);
      std::vector<JsonTree> found;
      for (const JsonTree& item : value.items()) {
        JsonTree inner = GetFrom(item, steps, at + 1);
        if (!inner.IsNull()) found.push_back(std::move(inner));
      }
      return found.empty() ? JsonTree() : JsonTree::List(std::move(found));
    }
    case Step::Kind::kName: {
      if (value.IsList()) return GetNamed(value, steps, at);
      const JsonTree* member = value.Find(step.name);
      return member ? GetFrom(*member, steps, at + 1) : JsonTree();
    }
  }
  return {};
}

JsonTree KeyPath::Get(const JsonTree& resource) const { return GetFrom(resource, steps_, 0); }

void KeyPath::Put(JsonTree& resource, JsonTree value) const {
  JsonTree* at = &resource;
  for (const Step& step : steps_) {
    if (step.kind != Step::Kind::kName) continue;
    if (!at->IsNull() && !at->IsObject()) return;
    at = &(*at)[step.name];
  }
  *at = std::move(value);
}

std::string KeyPath::Label() const {
  std::string name;
  for (const Step& step : steps_) {
    if (step.kind == Step::Kind::kName) name = step.name;
  }
  std::string label;
  for (size_t i = 0; i < name.size(); ++i) {
    bool upper = isupper(static_cast<unsigned char>(name[i]));
    bool after_lower = i > 0 && islower(static_cast<unsigned char>(name[i - 1]));
    if (upper && after_lower) label += '_';
    label += name[i] == '-' ? '_' : static_cast<char>(toupper(static_cast<unsigned char>(name[i])));
  }
  return label;
}

std::string KeyPath::Text() const {
  std::string text;
  for (const Step& step : steps_) {
    if (step.kind == Step::Kind::kAll) text += "[]";
    if (step.kind == Step::Kind::kIndex) text += fmt::format("[{}]", step.index);
    if (step.kind == Step::Kind::kName) text += (text.empty() ? "" : ".") + step.name;
  }
  return text;
}

}  // namespace fireweed::cli
