// A shell in an instance, by ssh with the key that gcloud uses, too. The first time the key is made and told to the
// instance by its metadata; the guest makes the account.
#include <pwd.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>

#include <fmt/format.h>

#include "base/bytes.h"
#include "base/process.h"
#include "cli/compute/compute_commands.h"
#include "cli/compute/compute_session.h"
#include "cli/compute/metadata_edit.h"
#include "cli/compute/tunnels.h"
#include "cli/format/key_path.h"
#include "cli/grammar.h"
#include "cli/storage/retry.h"

namespace fireweed::cli {
namespace {

constexpr uint16_t kSshPort = 22;

struct ShellCommand {
  std::string place_name, command, key_file;
  std::vector<std::string> words;
  PlaceOptions place;
};

std::string LocalUser() {
  const passwd* entry = getpwuid(geteuid());
  return entry ? entry->pw_name : "user";
}

std::string KeyFile(const ShellCommand& command, const Settings& settings) {
  if (!command.key_file.empty()) return command.key_file;
  return settings.context->home + "/.ssh/google_compute_engine";
}

// Makes the key when there is none; gives its public half.
std::string PublicKey(const std::string& file, const std::string& user) {
  std::error_code error;
  if (!std::filesystem::exists(file, error)) {
    std::filesystem::create_directories(std::filesystem::path(file).parent_path(), error);
    Result<ProgramOutcome> made =
        RunProgram({{"ssh-keygen", "-q", "-t", "rsa", "-N", "", "-C", user, "-f", file}},
                   std::chrono::seconds(60));
    if (!made.ok()) throw Failure(made.error());
    if (!made->ok()) throw Failure(Code::kInternal, "ssh-keygen: " + made->error);
  }
  std::ifstream in(file + ".pub");
  std::string line;
  if (!std::getline(in, line))
    throw Failure(Code::kNotFound, fmt::format("cannot read {}.pub", file));
  return line;
}

// True when the instance did not know the key yet.
bool TellKey(ComputeSession& session, const ResourceName& resource, const std::string& entry) {
  for (int attempt = 0;; ++attempt) {
    JsonTree instance = session.Get(resource);
    std::string known = KeyPath::Parse("metadata.items.ssh-keys").Get(instance).text();
    if (known.find(entry) != std::string::npos) return false;
    ListEdit edit;
    std::string all = known.empty() ? entry : known + "\n" + entry;
    edit.pairs = {fmt::format("^\x1f^ssh-keys={}", all)};
    try {
      JsonTree body = AddMetadata(instance.Find("metadata"), edit);
      session.Wait(session.Call("POST", resource.path + "/setMetadata", body, resource.project));
      return true;
    } catch (const Failure& failure) {
      if (failure.error().code != Code::kPrecondition || attempt > 4) throw;
    }
  }
}

std::string AddressOf(const JsonTree& instance) {
  std::string outer =
      KeyPath::Parse("networkInterfaces[0].accessConfigs[0].natIP").Get(instance).text();
  return outer.empty() ? KeyPath::Parse("networkInterfaces[0].networkIP").Get(instance).text()
                       : outer;
}

[[noreturn]] void Become(const std::vector<std::string>& argv) {
  std::vector<char*> raw;
  for (const std::string& word : argv) raw.push_back(const_cast<char*>(word.c_str()));
  raw.push_back(nullptr);
  execvp(raw[0], raw.data());
  throw Failure(ErrnoError(errno, "run " + argv[0]));
}

void Shell(const ShellCommand& command, const Settings& settings) {
  ComputeSession session(command.place, settings);
  size_t at = command.place_name.find('@');
  std::string user = at == std::string::npos ? LocalUser() : command.place_name.substr(0, at);
  std::string name =
      at == std::string::npos ? command.place_name : command.place_name.substr(at + 1);
  ResourceName resource = session.Resource(Scope::kZone, "instances", name);
  JsonTree instance = session.Get(resource);
  if (instance.TextOf("status") != "RUNNING") {
    throw Failure(Code::kPrecondition,
                  fmt::format("{} is {}: start it with `fireweed compute instances start {}`", name,
                              instance.TextOf("status"), name));
  }
  std::string key = KeyFile(command, settings);
  bool fresh = TellKey(session, resource, fmt::format("{}:{}", user, PublicKey(key, user)));
  std::vector<std::string> ssh = {"ssh",
                                  "-i",
                                  key,
                                  "-o",
                                  "IdentitiesOnly=yes",
                                  "-o",
                                  "StrictHostKeyChecking=no",
                                  "-o",
                                  "UserKnownHostsFile=/dev/null",
                                  "-o",
                                  "LogLevel=ERROR",
                                  fmt::format("{}@{}", user, AddressOf(instance))};
  if (NeedsTunnel(settings)) {
    std::string tunnel = ProxyCommand(settings, DestinationOf(resource, kSshPort));
    ssh.insert(ssh.begin() + 1, {"-o", "ProxyCommand=" + tunnel});
  }
  // The guest makes the account a moment after it has heard of the key.
  StopSignal never;
  for (int tries = 0; fresh && tries < 60; ++tries) {
    std::vector<std::string> probe = ssh;
    probe.insert(probe.begin() + 1, {"-o", "BatchMode=yes", "-o", "ConnectTimeout=10"});
    probe.push_back("true");
    Result<ProgramOutcome> outcome = RunProgram({probe}, std::chrono::seconds(30));
    if (outcome.ok() && outcome->ok()) break;
    never.WaitFor(std::chrono::milliseconds(500));
  }
  if (!command.command.empty()) ssh.push_back(command.command);
  for (const std::string& word : command.words) ssh.push_back(word);
  Become(ssh);
}

void AddOne(Command& group, const char* name, const char* help, bool needs_command,
            Settings& settings) {
  auto shell = std::make_shared<ShellCommand>();
  Command* command = group.AddCommand(name, help);
  command->AddOption("instance", shell->place_name, "[USER@]INSTANCE")->Required();
  Flag* words = command->AddOption("words", shell->words, "Command to run, after --");
  if (needs_command) words->Required();
  command->AddOption("--command", shell->command, "Command to run instead of a shell");
  command->AddOption("--ssh-key-file", shell->key_file,
                     "Private key (default: ~/.ssh/google_compute_engine, created if missing)");
  shell->place.AddTo(*command, Scope::kZone);
  command->OnRun([shell, &settings] { Shell(*shell, settings); });
}

}  // namespace

void AddShellCommands(Command& root, Settings& settings) {
  Command& group = GroupOf(root, "instances");
  AddOne(group, "ssh", "Open a shell in an instance, or run a command there", false, settings);
  AddOne(group, "exec", "Run a command in an instance: exec NAME -- CMD...", true, settings);
}

}  // namespace fireweed::cli
