#include "init/units/unit_file.h"

#include <algorithm>
#include <charconv>
#include <cstdint>

namespace fireweed {
namespace {

constexpr std::string_view kBlanks = " \t\r";

std::string_view Trim(std::string_view text) {
  size_t from = text.find_first_not_of(kBlanks);
  if (from == text.npos) return {};
  return text.substr(from, text.find_last_not_of(kBlanks) - from + 1);
}

// Takes the next line, with the lines that a backslash at its end continues.
std::string TakeLine(std::string_view& text) {
  std::string whole;
  while (true) {
    std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
    bool comment = !whole.empty() && (Trim(line).starts_with('#') || Trim(line).starts_with(';'));
    bool goes_on = line.ends_with('\\') && !text.empty();
    if (!comment) whole += line.substr(0, line.size() - (line.ends_with('\\') ? 1 : 0));
    if (!goes_on && !(comment && !text.empty())) return whole;
    if (!comment) whole += ' ';
  }
}

bool IsVariableCharacter(char c) {
  return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

std::string VariableValue(const std::vector<std::string>& environment, std::string_view name) {
  std::string value;
  for (const std::string& entry : environment) {
    if (entry.starts_with(name) && entry.size() > name.size() && entry[name.size()] == '=') {
      value = entry.substr(name.size() + 1);
    }
  }
  return value;
}

std::string ExpandInPlace(std::string_view word, const std::vector<std::string>& environment) {
  std::string out;
  for (size_t i = 0; i < word.size(); ++i) {
    if (word.substr(i).starts_with("$$")) {
      out += word[++i];
      continue;
    }
    size_t end = word.find('}', i);
    if (!word.substr(i).starts_with("${") || end == word.npos) {
      out += word[i];
      continue;
    }
    out += VariableValue(environment, word.substr(i + 2, end - i - 2));
    i = end;
  }
  return out;
}

std::string SpecifierValue(char letter, std::string_view unit, std::string_view host) {
  UnitName name = ParseUnitName(unit);
  switch (letter) {
    case 'n': return std::string(unit);
    case 'N': return std::string(unit.substr(0, unit.rfind('.')));
    case 'p':
    case 'P': return name.prefix;
    case 'i':
    case 'I': return name.instance;
    case 'H':
    case 'l': return std::string(host);
    case 't': return "/run";
    case 'S': return "/var/lib";
    case 'C': return "/var/cache";
    case 'L': return "/var/log";
    case 'E': return "/etc";
    case 'h': return "/root";
    case 'u': return "root";
    case 'U': return "0";
    case 'T': return "/tmp";
    case '%': return "%";
    default: return std::string("%") + letter;
  }
}

}  // namespace

void UnitFile::Add(std::string_view text) {
  std::string section;
  while (!text.empty()) {
    std::string whole = TakeLine(text);
    std::string_view line = Trim(whole);
    if (line.empty() || line.front() == '#' || line.front() == ';') continue;
    if (line.front() == '[') {
      section = line.substr(1, line.find(']') - 1);
      continue;
    }
    size_t equals = line.find('=');
    if (equals == line.npos) continue;
    std::string key = section + "." + std::string(Trim(line.substr(0, equals)));
    std::string value(Trim(line.substr(equals + 1)));
    if (value.empty()) {
      values_[key].clear();
    } else {
      values_[key].push_back(std::move(value));
    }
  }
}

std::string UnitFile::Value(const std::string& key, const std::string& otherwise) const {
  auto found = values_.find(key);
  return found == values_.end() || found->second.empty() ? otherwise : found->second.back();
}

std::vector<std::string> UnitFile::Values(const std::string& key) const {
  auto found = values_.find(key);
  return found == values_.end() ? std::vector<std::string>{} : found->second;
}

std::vector<std::string> UnitFile::Words(const std::string& key) const {
  std::vector<std::string> words;
  for (const std::string& value : Values(key)) {
    for (std::string& word : SplitWords(value)) words.push_back(std::move(word));
  }
  return words;
}

bool UnitFile::Flag(const std::string& key, bool otherwise) const {
  std::string value = Value(key);
  if (value.empty()) return otherwise;
  return value == "yes" || value == "true" || value == "on" || value == "1";
}

UnitName ParseUnitName(std::string_view name) {
  std::string_view stem = name.substr(0, name.rfind('.'));
  size_t at = stem.find('@');
  if (at == stem.npos) return {std::string(stem), ""};
  return {std::string(stem.substr(0, at)), std::string(stem.substr(at + 1))};
}

std::string ExpandSpecifiers(std::string_view text, std::string_view unit, std::string_view host) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%' || i + 1 == text.size()) {
      out += text[i];
    } else {
      out += SpecifierValue(text[++i], unit, host);
    }
  }
  return out;
}

std::vector<std::string> SplitWords(std::string_view text) {
  std::vector<std::string> words;
  bool in_word = false;
  char quote = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (!quote && kBlanks.find(c) != kBlanks.npos) {
      in_word = false;
      continue;
    }
    if (!in_word) words.emplace_back();
    in_word = true;
    if (quote == c) {
      quote = 0;
    } else if (!quote && (c == '"' || c == '\'')) {
      quote = c;
    } else if (c == '\\' && i + 1 < text.size()) {
      char next = text[++i];
      words.back() += next == 'n' ? '\n' : next == 't' ? '\t' : next;
    } else {
      words.back() += c;
    }
  }
  return words;
}

std::optional<UnitCommand> ParseUnitCommand(std::string_view line) {
  UnitCommand command;
  bool other_name = false;
  line = Trim(line);
  while (!line.empty() && std::string_view("-@+!:|").find(line.front()) != std::string_view::npos) {
    if (line.front() == '-') command.failure_counts = false;
    if (line.front() == '@') other_name = true;
    if (line.front() == '+' || line.front() == '!') command.as_root = true;
    line.remove_prefix(1);
  }
  command.words = SplitWords(line);
  if (command.words.empty()) return std::nullopt;
  command.program = command.words[0];
  if (other_name && command.words.size() > 1) command.words.erase(command.words.begin());
  return command;
}

std::vector<std::string> ExpandVariables(const std::vector<std::string>& words,
                                         const std::vector<std::string>& environment) {
  std::vector<std::string> out;
  for (const std::string& word : words) {
    std::string_view name = std::string_view(word).substr(word.empty() ? 0 : 1);
    bool alone =
        word.starts_with('$') && !name.empty() && std::ranges::all_of(name, IsVariableCharacter);
    if (!alone) {
      out.push_back(ExpandInPlace(word, environment));
      continue;
    }
    for (std::string& part : SplitWords(VariableValue(environment, name))) {
      out.push_back(std::move(part));
    }
  }
  return out;
}

std::vector<std::string> ParseEnvironmentFile(std::string_view text) {
  std::vector<std::string> variables;
  while (!text.empty()) {
    std::string whole = TakeLine(text);
    std::string_view line = Trim(whole);
    size_t equals = line.find('=');
    if (line.empty() || line.front() == '#' || line.front() == ';' || equals == line.npos) continue;
    std::string value;
    std::vector<std::string> words = SplitWords(line.substr(equals + 1));
    for (const std::string& word : words) value += (value.empty() ? "" : " ") + word;
    variables.push_back(std::string(Trim(line.substr(0, equals))) + "=" + value);
  }
  return variables;
}

std::optional<int64_t> ParseTimeSpan(std::string_view text) {
  if (text == "infinity") return -1;
  int64_t total = 0;
  text = Trim(text);
  if (text.empty()) return std::nullopt;
  while (!text.empty()) {
    int64_t number = 0;
    auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || number < 0) return std::nullopt;
    text = Trim(text.substr(static_cast<size_t>(end - text.data())));
    size_t letters = 0;
    while (letters < text.size() && text[letters] >= 'a' && text[letters] <= 'z') ++letters;
    std::string_view unit = text.substr(0, letters);
    text = Trim(text.substr(letters));
    int64_t scale = unit == "ms"                                                        ? 1
                    : unit.empty() || unit == "s" || unit == "sec" || unit == "seconds" ? 1000
                    : unit == "m" || unit == "min" || unit == "minutes"                 ? 60'000
                    : unit == "h" || unit == "hr" || unit == "hours"                    ? 3'600'000
                    : unit == "us" || unit == "d"                                       ? 0
                                                                                        : -1;
    if (scale < 0) return std::nullopt;
    total += number * scale;
  }
  return total;
}

}  // namespace fireweed
