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
#include "cli/stand_ins.h"
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

struct Listed {
  const char* name;
  const char* example;
};
struct Group {
  const char* title;
  std::vector<Listed> commands;
};

// In the order of `--help`: daily commands first.
const std::vector<Group>& Groups() {
  static const std::vector<Group> groups = {
      {"Start here",
       {{"up", "fireweed up"},
        {"down", "fireweed down"},
        {"status", "fireweed --json status"},
        {"logs", "fireweed logs -n 50 --follow"},
        {"env", "eval \"$(fireweed env)\""},
        {"config", "fireweed config set compute/zone us-central1-a"},
        {"doctor", "fireweed doctor"}}},
      {"Data",
       {{"storage", "fireweed storage cp data.csv gs://my-data/"},
        {"data", "fireweed data make iris --as gs://my-data/iris"},
        {"backup", "fireweed backup /mnt/backup"},
        {"restore", "fireweed restore /mnt/backup --state /var/lib/fireweed"}}},
      {"Instances and notebooks",
       {{"compute", "fireweed compute instances create trainer --preemptible"},
        {"notebooks", "fireweed notebooks create lab"},
        {"datalab", "fireweed datalab create dlvm --zone us-central1-a"}}},
      {"Training and prediction",
       {{"ai-platform", "fireweed ai-platform jobs list"},
        {"deploy", ""},
        {"predict", "fireweed predict --model census --json-instances rows.json"},
        {"logging", "fireweed logging read 'severity>=ERROR' --limit 10"}}},
      {"Projects and access",
       {{"projects", "fireweed projects create my-project"},
        {"users", ""},
        {"service-accounts", "fireweed service-accounts create robot"},
        {"tokens", "fireweed tokens create --label laptop"},
        {"auth", "fireweed auth print-access-token"},
        {"credential", "fireweed credential > laptop.json"},
        {"ca", "fireweed ca --fingerprint"},
        {"source", "fireweed source repos create notebooks"}}},
      {"This host and this program",
       {{"base-images", "fireweed base-images list"},
        {"completion", "source <(fireweed completion bash)"},
        {"man", "fireweed man compute | man -l -"},
        {"version", "fireweed version"}}},
  };
  return groups;
}

// Groups are listed in the order of their first command: the calls below follow Groups().
void AddCommands(Command& app, Settings& settings) {
  AddDaemonCommands(app, settings);
  AddEnvCommand(app, settings);
  AddConfigCommands(app, settings);
  AddDoctorCommand(app, settings);
  AddStorageCommands(app, settings);
  AddDataCommands(app, settings);
  AddIntegrityCommands(app, settings);  // after the group it adds to
  AddComputeCommands(app, settings);
  AddNotebookCommands(app, settings);
  AddDatalabCommands(app, settings);
  AddMlCommands(app, settings);
  AddIdentityCommands(app, settings);
  AddUserCommands(app, settings);
  AddAuthCommands(app, settings);
  AddRemoteCommands(app, settings);
  AddAuthorityCommand(app, settings);
  AddSourceCommands(app, settings);
  AddBaseImageCommands(app, settings);
  AddCompleteCommand(app, settings);
  AddCompletionCommand(app, settings);
  AddManCommand(app, settings);
  AddVersionCommand(app, settings);
  for (const Group& group : Groups()) {
    for (const Listed& listed : group.commands) {
      Command* command = app.Find(listed.name);
      if (!command) continue;
      command->InGroup(group.title);
      std::string example = listed.example;
      if (!example.empty()) command->EndHelpWith("Example:\n  " + example);
    }
  }
}

// Also by the names gcloud and gsutil, for hosts that do not have them.
int RunWords(Command& app, std::vector<std::string> words) {
  std::string name = words.empty() ? "" : words[0];
  bool stand_in = name == "gcloud" || name == "gsutil";
  // gcloud's tracks: what was in beta when a script was written is plain here.
  if (stand_in || name == "beta" || name == "alpha") words.erase(words.begin());
  if (name == "gcloud") words = WordsOfGcloud(std::move(words));
  if (name == "gsutil") words = WordsOfGsutil(std::move(words));
  int status = app.Run(std::move(words));
  if (status == 2 && stand_in) {
    fmt::print(stderr,
               "This {} is part of Fireweed and has the commands of 'fireweed --help'. "
               "For all others, install the Google Cloud SDK.\n",
               name);
  }
  return status;
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
  AddCommands(app, settings);
  try {
    return RunWords(app, arguments);
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
