#include <signal.h>

#include <algorithm>
#include <system_error>

#include <fmt/format.h>

#include "base/error.h"
#include "cli/auth_commands.h"
#include "cli/base_image_commands.h"
#include "cli/commands.h"
#include "cli/grammar.h"
#include "cli/notebooks/notebook_commands.h"
#include "cli/output.h"
#include "describe/json_writer.h"

namespace fireweed::cli {
namespace {

void Report(const Error& error, const Settings& settings) {
  if (settings.json) {
    JsonWriter out;
    out.BeginObject().Key("error").BeginObject();
    out.Field("code", CodeName(error.code)).Field("message", error.message);
    out.EndObject().EndObject();
    fmt::print(stderr, "{}\n", out.text());
    return;
  }
  fmt::print(stderr, "fireweed: {}\n", error.message);
}

}  // namespace

int Run(const std::vector<std::string>& arguments, const Context& context) {
  Settings settings;
  settings.context = &context;
  Command app("Fireweed: a self-hosted machine-learning training cloud", "fireweed");
  app.AddOption("--state", settings.state,
                "State directory of the daemon (FIREWEED_STATE; default ~/.fireweed, for root "
                "/var/lib/fireweed)");
  app.AddFlag("--json", settings.json, "Print JSON");
  app.AddFlag(
      "--version",
      [&settings] {
        PrintVersion(settings);
        throw Exit{0};
      },
      "Print the version and exit");
  app.NeedsCommand();
  app.FlagsAnywhere();
  AddDaemonCommands(app, settings);
  AddEnvCommands(app, settings);
  AddDataCommands(app, settings);
  AddDoctorCommand(app, settings);
  AddIdentityCommands(app, settings);
  AddRemoteCommands(app, settings);
  AddStorageCommands(app, settings);
  AddComputeCommands(app, settings);
  AddMlCommands(app, settings);
  AddSourceCommands(app, settings);
  AddNotebookCommands(app, settings);
  AddDatalabCommands(app, settings);
  AddAuthCommands(app, settings);
  AddIntegrityCommands(app, settings);  // after the group it adds to
  AddBaseImageCommands(app, settings);
  AddCompletionCommand(app, settings);
  AddManCommand(app, settings);
  std::vector<std::string> words = arguments;
  // gcloud's tracks: what was in beta when a script was written is plain here.
  if (!words.empty() && (words[0] == "beta" || words[0] == "alpha")) words.erase(words.begin());
  try {
    return app.Run(std::move(words));
  } catch (const Exit& exit) {
    return exit.status;
  } catch (const Failure& failure) {
    Report(failure.error(), settings);
    return 1;
  } catch (const std::system_error& error) {
    // Whoever read our output has had enough, as in `ls | head`: what the shell shows for every program then.
    if (error.code() == std::errc::broken_pipe) return 128 + SIGPIPE;
    Report({Code::kInternal, "", error.what()}, settings);
    return 1;
  }
}

}  // namespace fireweed::cli
