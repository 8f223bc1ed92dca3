// Which variables make a shell's clients talk to the daemon, as a pure plan. Nothing here reads the
// environment or writes a file: `fireweed env` hands both in.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fireweed::cli {

using Environment = std::map<std::string, std::string>;

// The clients that can be asked for by name.
enum class Client { kGcloud, kGsutil, kCurl, kPython, kTensorflow, kGit, kNode, kWget };
std::optional<Client> ClientByName(std::string_view name);
std::vector<std::string_view> ClientNames();

struct EnvInputs {
  Environment environment;  // of the calling shell
  std::string state;        // state directory of the daemon
  std::string client_directory;
  std::string proxy_url;  // with the per-user secret
  std::string http_url;   // "http://127.0.0.1:8080"
  std::string project;
  std::vector<Client> clients;  // empty: all of them
  bool use_proxy = true;
  // Goes in front of PATH; empty: PATH stays as it is.
  std::string programs_directory;
  std::string git_helper = "gcloud.sh";  // prints the password of source repositories for git
  // Writes a bundle of what `base` holds (the system's list when empty) plus our CA; gives its path.
  std::function<std::string(const std::string& base)> bundle;
};

struct EnvChange {
  std::string name;
  std::optional<std::string> value;  // nullopt: unset

  friend bool operator==(const EnvChange&, const EnvChange&) = default;
};

// The changes, including the FIREWEED_OLD_* variables that remember what was there. Planning again
// in a shell that was already set up starts from what was there before, so it can be repeated.
std::vector<EnvChange> PlanEnv(const EnvInputs& inputs);
// Restores what the variables were. Works without a daemon and without a state directory.
std::vector<EnvChange> PlanUnset(const Environment& environment);

// The shell's PATH without the directory that an earlier plan put in front of it.
std::string PathWithoutPrograms(const Environment& environment);
// `text` as one word of a POSIX shell.
std::string ShellQuote(std::string_view text);

enum class EnvFormat { kShell, kJson, kDotenv };
std::string RenderEnv(const std::vector<EnvChange>& changes, EnvFormat format);

}  // namespace fireweed::cli
