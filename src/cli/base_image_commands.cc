// The daemon's program does the work: it knows where the images lie and which one is the present one.
#include "cli/base_image_commands.h"

#include <filesystem>
#include <memory>

#include "cli/daemon_process.h"
#include "cli/grammar.h"

namespace fireweed::cli {
namespace {

[[noreturn]] void RunDaemonProgram(const Settings& settings, const char* verb) {
  DaemonStart start{
      settings.context->program_directory + "/fireweedd",
      {"--state", std::filesystem::absolute(settings.State()).string(), "--base-images", verb},
      ""};
  if (settings.json) start.arguments.push_back("--json");
  BecomeDaemon(start);
}

}  // namespace

void AddBaseImageCommands(Command& app, Settings& settings) {
  Command* root = app.AddCommand("base-images", "The system trees under instances of this machine");
  root->NeedsCommand();
  root->AddCommand("list", "Show each with its size and who uses it")->OnRun([&settings] {
    RunDaemonProgram(settings, "list");
  });
  auto unknown = std::make_shared<bool>(false);
  Command* prune =
      root->AddCommand("prune", "Remove those that nobody uses; the one for new instances stays");
  prune->AddFlag("--unknown", *unknown,
                 "Also those made by versions that did not note who uses them. A disk that was "
                 "written on one cannot be booted without it");
  prune->OnRun(
      [unknown, &settings] { RunDaemonProgram(settings, *unknown ? "prune-unknown" : "prune"); });
}

}  // namespace fireweed::cli
