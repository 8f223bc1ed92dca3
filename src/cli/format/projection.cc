#include "cli/format/projection.h"

#include <cstdlib>

#include <fmt/format.h>

#include "base/bytes.h"
#include "base/error.h"

namespace fireweed::cli {
namespace {

[[noreturn]] void Refuse(std::string_view what, std::string_view rest) {
  throw Failure(Code::kInvalid, fmt::format("--format: {} at '{}'", what, rest.substr(0, 40)));
}

void SkipBlanks(std::string_view& text) {
  while (!text.empty() && isspace(static_cast<unsigned char>(text.front()))) text.remove_prefix(1);
}

bool TakeIf(std::string_view& text, char c) {
  SkipBlanks(text);
  if (text.empty() || text.front() != c) return false;
  text.remove_prefix(1);
  return true;
}

std::string TakeWord(std::string_view& text) {
  SkipBlanks(text);
  size_t length = 0;
  while (length < text.size() && (isalnum(static_cast<unsigned char>(text[length])) ||
                                  text[length] == '-' || text[length] == '_')) {
    ++length;
  }
  std::string word(text.substr(0, length));
  text.remove_prefix(length);
  return word;
}

// Text up to one of `ends`, or in quotes.
std::string TakeValue(std::string_view& text, std::string_view ends) {
  SkipBlanks(text);
  if (!text.empty() && (text.front() == '"' || text.front() == '\'')) {
    size_t close = text.find(text.front(), 1);
    if (close == std::string_view::npos) Refuse("a quote is not closed", text);
    std::string value(text.substr(1, close - 1));
    text.remove_prefix(close + 1);
    return value;
  }
  size_t end = text.find_first_of(ends);
  std::string value(Trim(text.substr(0, end)));
  text.remove_prefix(end == std::string_view::npos ? text.size() : end);
  return value;
}

Transform TakeTransform(std::string_view& text) {
  Transform transform;
  TakeIf(text, '.');
  transform.name = TakeWord(text);
  if (!TakeIf(text, '(')) Refuse("'(' is missing", text);
  while (!TakeIf(text, ')')) {
    if (text.empty()) Refuse("')' is missing", text);
    std::string argument = TakeValue(text, "=,)");
    if (TakeIf(text, '=')) {
      transform.named[argument] = TakeValue(text, ",)");
    } else {
      transform.arguments.push_back(argument);
    }
    TakeIf(text, ',');
  }
  if (!IsTransform(transform.name)) {
    throw Failure(Code::kInvalid, fmt::format("--format: unknown transform {}(); supported: {}",
                                              transform.name, fmt::join(TransformNames(), ", ")));
  }
  return transform;
}

void TakeAttribute(std::string_view& text, Column& column) {
  std::string name = TakeWord(text);
  std::string value = TakeIf(text, '=') ? TakeValue(text, ":,)") : "";
  if (name == "label") column.label = value;
  if (name == "sort") column.sort = std::atoi(value.c_str());
  if (name == "reverse") column.reverse = true;
  if (name == "align") column.align_right = value == "right";
}

Column TakeColumn(std::string_view& text) {
  SkipBlanks(text);
  Column column;
  column.path = KeyPath::Take(text);
  SkipBlanks(text);
  while (!text.empty() && text.front() != ',' && text.front() != ')' && text.front() != ':') {
    column.transforms.push_back(TakeTransform(text));
    SkipBlanks(text);
  }
  if (column.path.empty() && column.transforms.empty()) Refuse("a field name is missing", text);
  column.label = column.path.Label();
  while (TakeIf(text, ':')) TakeAttribute(text, column);
  return column;
}

}  // namespace

JsonTree Column::Get(const JsonTree& resource) const {
  JsonTree value = path.Get(resource);
  for (const Transform& transform : transforms) value = ApplyTransform(transform, value);
  return value;
}

void Column::ResolveLabel(const std::vector<Column>& usual) {
  std::string text = path.Text();
  for (const Column& one : usual) {
    if (one.label != text) continue;
    path = one.path;
    transforms.insert(transforms.begin(), one.transforms.begin(), one.transforms.end());
    return;
  }
}

void Projection::ResolveLabels(const std::vector<Column>& usual) {
  for (Column& column : columns) column.ResolveLabel(usual);
}

std::string Projection::Attribute(const std::string& name, std::string fallback) const {
  auto found = attributes.find(name);
  return found == attributes.end() ? std::move(fallback) : found->second;
}

Projection Projection::Parse(std::string_view text) {
  Projection projection;
  projection.format = TakeWord(text);
  if (TakeIf(text, '[')) {
    while (!TakeIf(text, ']')) {
      if (text.empty()) Refuse("']' is missing", text);
      std::string name = TakeWord(text);
      if (name.empty()) Refuse("an attribute is missing", text);
      projection.attributes[name] = TakeIf(text, '=') ? TakeValue(text, ",]") : "";
      TakeIf(text, ',');
    }
  }
  if (TakeIf(text, '(')) {
    while (!TakeIf(text, ')')) {
      if (text.empty()) Refuse("')' is missing", text);
      projection.columns.push_back(TakeColumn(text));
      if (!TakeIf(text, ',') && (text.empty() || text.front() != ')')) Refuse("',' or ')'", text);
    }
  }
  SkipBlanks(text);
  if (!text.empty()) Refuse("more than one format", text);
  return projection;
}

}  // namespace fireweed::cli
