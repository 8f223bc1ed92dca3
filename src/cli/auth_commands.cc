// `fireweed auth`: what scripts ask gcloud for when they call an API by themselves.
#include "cli/auth_commands.h"

#include <fmt/format.h>

#include "cli/grammar.h"
#include "client/rest_client.h"
#include "describe/json_writer.h"

namespace fireweed::cli {
namespace {

void PrintToken(const Settings& settings) {
  RestClient client(settings.Daemon(), ReadOwner(settings.State()));
  fmt::print("{}\n", client.AccessToken());
}

}  // namespace

void AddAuthCommands(Command& app, Settings& settings) {
  Command* group = app.AddCommand("auth", "Show the account and print access tokens");
  group->NeedsCommand();
  group->AddCommand("print-access-token", "Print an access token")->OnRun([&settings] {
    PrintToken(settings);
  });
  Command* defaults = group->AddCommand("application-default", "Credentials of client libraries");
  defaults->NeedsCommand();
  defaults->AddCommand("print-access-token", "Print an access token")->OnRun([&settings] {
    PrintToken(settings);
  });
  group->AddCommand("list", "Show the account")->OnRun([&settings] {
    std::string account = settings.Daemon().owner;
    if (!settings.json) return fmt::print("{}\n", account);
    JsonWriter out;
    out.BeginArray().BeginObject().Field("account", account).Field("status", "ACTIVE");
    fmt::print("{}\n", out.EndObject().EndArray().text());
  });
}

}  // namespace fireweed::cli
