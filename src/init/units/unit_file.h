// Reads systemd's unit files: sections, repeated keys, continued lines, and the words of a command line.
// Threading: pure functions, any thread.
// Errors: unknown keys and lines are skipped, as systemd does; a line without '=' has no effect.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fireweed {

// "Section.Key" to its values in order. An empty assignment clears the earlier values, as in a drop-in that replaces ExecStart.
class UnitFile {
 public:
  void Add(std::string_view text);
  // The last value, or `otherwise`.
  std::string Value(const std::string& key, const std::string& otherwise = "") const;
  std::vector<std::string> Values(const std::string& key) const;
  // All values, split at blanks; quotes are honoured.
  std::vector<std::string> Words(const std::string& key) const;
  bool Flag(const std::string& key, bool otherwise = false) const;

 private:
  std::map<std::string, std::vector<std::string>> values_;
};

// "foo@bar.service" is {"foo", "bar"}; "foo.service" is {"foo", ""}.
struct UnitName {
  std::string prefix, instance;
};
UnitName ParseUnitName(std::string_view name);

// %n, %N, %p, %i, %I, %H, %t, %S, %C, %L, %h, %u, %% in `text`.
std::string ExpandSpecifiers(std::string_view text, std::string_view unit, std::string_view host);

// Splits at blanks; single and double quotes and a backslash keep what they enclose.
std::vector<std::string> SplitWords(std::string_view text);

// A command line of ExecStart and its like.
struct UnitCommand {
  std::vector<std::string> words;
  std::string program;         // words[0], unless '@' names another
  bool failure_counts = true;  // '-' in front: it does not
  bool as_root = false;        // '+' or '!' in front: User has no effect
};
// nullopt: there is no program.
std::optional<UnitCommand> ParseUnitCommand(std::string_view line);

// $NAME as a word of its own becomes the words of its value, ${NAME} is replaced in place. `environment`: "NAME=value".
std::vector<std::string> ExpandVariables(const std::vector<std::string>& words,
                                         const std::vector<std::string>& environment);

// "NAME=value" lines of an EnvironmentFile.
std::vector<std::string> ParseEnvironmentFile(std::string_view text);

// "5", "5s", "2min 30s", "500ms" in milliseconds; "infinity" is -1. nullopt: not a time.
std::optional<int64_t> ParseTimeSpan(std::string_view text);

}  // namespace fireweed
