// fireweed config: the properties that this shell's clients share, in the file that gcloud keeps them in. It is the
// private one that `fireweed env` prepared; without that there is nothing to change.
#include <fstream>
#include <sstream>

#include <fmt/format.h>

#include "base/error.h"
#include "cli/commands.h"
#include "cli/grammar.h"
#include "cli/ini_file.h"
#include "client/endpoint.h"
#include "describe/json_writer.h"

namespace fireweed::cli {
namespace {

struct ConfigCommand {
  std::string property, value;
};

// "project" is "core/project".
std::pair<std::string, std::string> Split(const std::string& property) {
  size_t slash = property.find('/');
  if (slash == std::string::npos) return {"core", property};
  return {property.substr(0, slash), property.substr(slash + 1)};
}

class Properties {
 public:
  explicit Properties(const Settings& settings) : path_(ClientConfigPath(*settings.context)) {
    if (path_.empty()) {
      throw Failure(Code::kPrecondition,
                    "this shell has no client configuration; run eval \"$(fireweed env)\" first");
    }
    std::ifstream file(path_);
    std::stringstream text;
    text << file.rdbuf();
    ini_ = IniFile::Parse(text.str());
  }

  IniFile& ini() { return ini_; }
  void Save() {
    size_t slash = path_.rfind('/');
    WriteStateFile(path_.substr(0, slash), path_.substr(slash + 1), ini_.Text());
  }

 private:
  const std::string path_;
  IniFile ini_;
};

void Set(const ConfigCommand& command, const Settings& settings) {
  Properties properties(settings);
  auto [section, key] = Split(command.property);
  properties.ini().Set(section, key, command.value);
  properties.Save();
  fmt::print(stderr, "Updated property [{}/{}].\n", section, key);
}

void Unset(const ConfigCommand& command, const Settings& settings) {
  Properties properties(settings);
  auto [section, key] = Split(command.property);
  properties.ini().Remove(section, key);
  properties.Save();
  fmt::print(stderr, "Unset property [{}/{}].\n", section, key);
}

void Get(const ConfigCommand& command, const Settings& settings) {
  Properties properties(settings);
  auto [section, key] = Split(command.property);
  std::optional<std::string> value = properties.ini().Get(section, key);
  if (settings.json) {
    JsonWriter out;
    if (value)
      out.String(*value);
    else
      out.Null();
    return fmt::print("{}\n", out.text());
  }
  if (value)
    fmt::print("{}\n", *value);
  else
    fmt::print(stderr, "(unset)\n");
}

void List(const Settings& settings) {
  Properties properties(settings);
  // Passwords of the proxy are nothing to read over a shoulder.
  properties.ini().Remove("proxy", "password");
  fmt::print("{}", properties.ini().Text());
}

Command* AddOne(Command& group, const char* name, const char* help,
                const std::shared_ptr<ConfigCommand>& options) {
  Command* command = group.AddCommand(name, help);
  command->AddOption("property", options->property, "project, compute/zone, ...")->Required();
  return command;
}

}  // namespace

void AddConfigCommands(Command& app, Settings& settings) {
  auto options = std::make_shared<ConfigCommand>();
  Command* group = app.AddCommand("config", "Set the default project and zone of this shell");
  group->NeedsCommand();
  Command* set = AddOne(*group, "set", "Set a property", options);
  set->AddOption("value", options->value, "New value")->Required();
  set->OnRun([options, &settings] { Set(*options, settings); });
  AddOne(*group, "unset", "Remove a property", options)->OnRun([options, &settings] {
    Unset(*options, settings);
  });
  Command* get = AddOne(*group, "get-value", "Print a property", options);
  get->Alias("get");
  get->OnRun([options, &settings] { Get(*options, settings); });
  group->AddCommand("list", "Print all properties")->OnRun([&settings] { List(settings); });
}

}  // namespace fireweed::cli
