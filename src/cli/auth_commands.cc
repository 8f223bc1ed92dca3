// `fireweed auth`: what scripts ask gcloud for when they call an API by themselves.
#include "cli/auth_commands.h"

#include <fmt/format.h>

#include "cli/grammar.h"
#include "client/rest_client.h"

namespace fireweed::cli {
namespace {

void PrintToken(const Settings& settings) {
  RestClient client(settings.Daemon(), ReadOwner(settings.State()));
  fmt::print("{}\n", client.AccessToken());
}

}  // namespace

void AddAuthCommands(Command& app, Settings& settings) {
  Command* group = app.AddCommand("auth", "Who you are here, in gcloud's grammar");
  group->NeedsCommand();
  group->AddCommand("print-access-token", "Print a token for Authorization: Bearer")
      ->OnRun([&settings] { PrintToken(settings); });
  Command* defaults = group->AddCommand("application-default", "Credentials of libraries");
  defaults->NeedsCommand();
  defaults->AddCommand("print-access-token", "Print a token for Authorization: Bearer")
      ->OnRun([&settings] { PrintToken(settings); });
  group->AddCommand("list", "Show the account")->OnRun([&settings] {
    fmt::print("{}\n", settings.Daemon().owner);
  });
}

}  // namespace fireweed::cli
