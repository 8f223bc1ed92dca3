#include "cli/format/yaml_text.h"

#include <cstdlib>

#include "base/bytes.h"
#include "base/clock.h"

namespace fireweed::cli {
namespace {

// Plain text that a reader would take for something else than this string.
bool NeedsQuotes(const std::string& text) {
  if (text.empty() || Trim(text) != text) return true;
  if (std::string_view("-?:,[]{}#&*!|>'\"%@`").find(text.front()) != std::string_view::npos)
    return true;
  if (text.find(": ") != std::string::npos || text.find(" #") != std::string::npos ||
      text.ends_with(':')) {
    return true;
  }
  std::string lower = ToLower(text);
  for (const char* word : {"true", "false", "null", "yes", "no", "on", "off", "~", "y", "n"}) {
    if (lower == word) return true;
  }
  char* end = nullptr;
  std::strtod(text.c_str(), &end);
  return *end == '\0' || ParseTime(text).has_value();
}

void WriteText(const std::string& text, size_t margin, std::string& out) {
  if (text.find('\n') != std::string::npos && text.find('\r') == std::string::npos &&
      !isspace(static_cast<unsigned char>(text.front()))) {
    out += text.ends_with('\n') ? "|\n" : "|-\n";
    size_t at = 0;
    while (at < text.size()) {
      size_t end = std::min(text.find('\n', at), text.size());
      if (end > at) out += std::string(margin, ' ') + text.substr(at, end - at);
      out += '\n';
      at = end + 1;
    }
    return;
  }
  bool control = false;
  for (char c : text) control |= static_cast<unsigned char>(c) < 0x20;
  if (control) {
    AppendJsonString(out, text);
  } else if (NeedsQuotes(text)) {
    out += '\'';
    for (char c : text) out += c == '\'' ? "''" : std::string(1, c);
    out += '\'';
  } else {
    out += text;
  }
  out += '\n';
}

bool IsEmpty(const JsonTree& value) { return value.items().empty() && value.members().empty(); }

void WriteKey(const std::string& key, std::string& out) {
  std::string text;
  WriteText(key, 0, text);
  text.pop_back();
  out += text + ":";
}

// The first line continues where `out` ends; the others begin at `margin`.
void WriteValue(const JsonTree& value, size_t margin, std::string& out) {
  bool first = true;
  auto begin = [&] {
    if (!first) out.append(margin, ' ');
    first = false;
  };
  if (value.IsList() && !IsEmpty(value)) {
    for (const JsonTree& item : value.items()) {
      begin();
      out += "- ";
      WriteValue(item, margin + 2, out);
    }
    return;
  }
  if (value.IsObject() && !IsEmpty(value)) {
    for (const auto& [key, item] : value.members()) {
      begin();
      WriteKey(key, out);
      bool nested = (item.IsList() || item.IsObject()) && !IsEmpty(item);
      if (!nested) {
        out += ' ';
        WriteValue(item, margin + 2, out);
        continue;
      }
      size_t inner = item.IsList() ? margin : margin + 2;
      out += "\n" + std::string(inner, ' ');
      WriteValue(item, inner, out);
    }
    return;
  }
  if (value.IsList() || value.IsObject()) {
    out += value.IsList() ? "[]\n" : "{}\n";
  } else if (value.kind() == JsonTree::Kind::kString) {
    WriteText(value.text(), margin, out);
  } else {
    out += value.IsNull() ? "null\n" : value.text() + "\n";
  }
}

}  // namespace

std::string YamlText(const JsonTree& value) {
  std::string out;
  WriteValue(value.Sorted(), 0, out);
  return out;
}

}  // namespace fireweed::cli
