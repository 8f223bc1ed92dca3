// fireweed-init: process 1 of a machine, and under its other names the programs that ask it to go down.
//
//   fireweed-init                                          process 1
//   fireweed-init --process DIR                            the same for plain processes: scripts in DIR
//   fireweed-init git-credential get                       git's way to the source repositories
//   shutdown | poweroff | halt | reboot                    links to it
//   systemctl                                              a link to it: services
//   sudo                                                   the same, for plain processes: gives no rights
//
// Environment: FIREWEED_METADATA=ADDRESS[:PORT] (default 169.254.169.254:80) or "none"; FIREWEED_WORKLOAD=FILE, the order
// for a program to run instead of scripts.
#include <unistd.h>

#include <charconv>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include "init/applet.h"
#include "init/git_credential.h"
#include "init/guest_files.h"
#include "init/machine_init.h"
#include "init/program.h"
#include "init/protocol.h"
#include "init/units/systemctl.h"

namespace {

constexpr std::string_view kMetadataVariable = "FIREWEED_METADATA=";
constexpr std::string_view kInitVariable = "FIREWEED_INIT=";  // set for what plain processes run

// Without the variable this is a whole machine, whose process 1 it is.
fireweed::AppletPlace Place(char** envp) {
  for (char** entry = envp; *entry; ++entry) {
    std::string_view variable = *entry;
    if (!variable.starts_with(kInitVariable)) continue;
    std::string_view digits = variable.substr(kInitVariable.size());
    int pid = 0;
    std::from_chars(digits.data(), digits.data() + digits.size(), pid);
    // A number that cannot be must not become the host's own process 1.
    return {.init = pid > 1 ? pid : getpid(), .whole_machine = false};
  }
  return {};
}

fireweed::InitSettings Settings(char** envp, std::string directory, bool whole_machine) {
  fireweed::InitSettings settings{.whole_machine = whole_machine};
  fireweed::ScriptSettings scripts{.metadata = {"169.254.169.254", 80},
                                   .directory = std::move(directory)};
  bool wanted = true;
  for (char** entry = envp; *entry; ++entry) {
    std::string_view variable = *entry;
    if (!variable.starts_with(kMetadataVariable)) {
      scripts.environment.emplace_back(variable);
      continue;
    }
    auto server = fireweed::ParseHttpServer(variable.substr(kMetadataVariable.size()));
    wanted = server.has_value();
    if (server) scripts.metadata = *server;
  }
  if (wanted) settings.scripts = std::move(scripts);
  return settings;
}

// A variable that is there is meant: an order that cannot be read must not become an idle machine.
bool TakeWorkload(char** envp, fireweed::InitSettings& settings) {
  std::string file;
  for (char** entry = envp; *entry; ++entry) {
    std::string_view variable = *entry;
    bool ours = variable.starts_with(fireweed::kWorkloadVariable) &&
                variable.substr(fireweed::kWorkloadVariable.size()).starts_with("=");
    if (ours) {
      file = variable.substr(fireweed::kWorkloadVariable.size() + 1);
    } else {
      settings.environment.emplace_back(variable);
    }
  }
  if (file.empty()) return true;
  settings.workload = fireweed::ParseWorkloadOrder(fireweed::ReadSmallFile(file).value_or(""));
  if (!settings.workload) std::fprintf(stderr, "fireweed-init: no order in %s\n", file.c_str());
  return settings.workload.has_value();
}

}  // namespace

int main(int argc, char** argv, char** envp) {
  std::string_view name = argc > 0 ? argv[0] : "fireweed-init";
  name.remove_prefix(name.rfind('/') == name.npos ? 0 : name.rfind('/') + 1);
  std::vector<std::string_view> arguments(argv + (argc > 0 ? 1 : 0), argv + argc);
  if (name == "shutdown" || name == "poweroff" || name == "halt" || name == "reboot") {
    return fireweed::RunApplet(name, arguments, Place(envp));
  }
  if (name == "systemctl") return fireweed::RunSystemctl(arguments);
  if (name == "sudo") return fireweed::RunSudo(arguments);
  if (arguments.size() == 2 && arguments[0] == "--process") {
    fireweed::InitSettings settings = Settings(envp, std::string(arguments[1]), false);
    if (settings.scripts) {
      settings.scripts->environment.push_back(std::string(kInitVariable) +
                                              std::to_string(getpid()));
    }
    if (!TakeWorkload(envp, settings)) return fireweed::kExitCannotRun;
    return fireweed::RunInit(settings);
  }
  if (arguments.size() == 2 && arguments[0] == "git-credential") {
    fireweed::InitSettings settings = Settings(envp, "", true);
    return settings.scripts ? fireweed::RunGitCredential(arguments[1], settings.scripts->metadata)
                            : 0;
  }
  if (getpid() != 1) {
    std::fprintf(stderr, "fireweed-init is process 1 of a machine; see fireweed(1)\n");
    return 2;
  }
  fireweed::PrepareGuestFiles();
  fireweed::InitSettings settings = Settings(envp, "/run/fireweed", true);
  if (!TakeWorkload(envp, settings)) return fireweed::kExitCannotRun;
  return fireweed::RunInit(settings);
}
