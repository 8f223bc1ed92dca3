// The daemon's program does the work: it knows where the images lie and which one is the present one.
#include "cli/base_image_commands.h"

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "cli/daemon_process.h"
#include "cli/grammar.h"

namespace fireweed::cli {
namespace {

[[noreturn]] void RunDaemonProgram(const Settings& settings, const char* verb,
                                   const std::vector<std::string>& more = {}) {
  DaemonStart start{
      settings.context->program_directory + "/fireweedd",
      {"--state", std::filesystem::absolute(settings.State()).string(), "--base-images", verb},
      ""};
  start.arguments.insert(start.arguments.end(), more.begin(), more.end());
  if (settings.json) start.arguments.push_back("--json");
  BecomeDaemon(start);
}

// A trailing '/' stands for a directory and survives.
std::string Absolute(const std::string& path) { return std::filesystem::absolute(path).string(); }

void AddTransport(Command& root, Settings& settings) {
  auto file = std::make_shared<std::string>(), digest = std::make_shared<std::string>();
  Command* command = root.AddCommand("export", "Write the image for new instances to a file");
  command->AddOption("file", *file, "File, or DIRECTORY/ for an OCI image layout")->Required();
  command->EndHelpWith("Example:\n  fireweed base-images export base-image.tar");
  command->OnRun([file, &settings] {
    RunDaemonProgram(settings, "export", {"--image-file", Absolute(*file)});
  });
  command =
      root.AddCommand("import", "Add an exported image, for hosts without package registries");
  command->AddOption("file", *file, "File or OCI image layout that `export` wrote")->Required();
  command->AddOption("--digest", *digest,
                     "Digest that the image must have, as `export` printed it");
  command->EndHelpWith(
      "Example:\n  fireweed base-images import base-image.tar --digest sha256:...\n"
      "An interrupted import resumes when the same command is run again.");
  command->OnRun([file, digest, &settings] {
    std::vector<std::string> more{"--image-file", Absolute(*file)};
    if (!digest->empty()) more.push_back("--image-digest=" + *digest);
    RunDaemonProgram(settings, "import", more);
  });
}

}  // namespace

void AddBaseImageCommands(Command& app, Settings& settings) {
  Command* root = app.AddCommand("base-images", "Manage the system trees that instances boot from");
  root->NeedsCommand();
  root->AddCommand("list", "List images with size and users")->OnRun([&settings] {
    RunDaemonProgram(settings, "list");
  });
  auto unknown = std::make_shared<bool>(false);
  Command* prune =
      root->AddCommand("prune", "Delete unused images, except the one for new instances");
  prune->AddFlag("--unknown", *unknown,
                 "Also delete images of old versions, which recorded no users. Disks that were "
                 "created on such an image cannot boot without it");
  prune->OnRun(
      [unknown, &settings] { RunDaemonProgram(settings, *unknown ? "prune-unknown" : "prune"); });
  AddTransport(*root, settings);
}

}  // namespace fireweed::cli
