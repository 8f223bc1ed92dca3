// `fireweed auth`: what scripts ask gcloud for when they call an API by themselves.
#include "cli/auth_commands.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "client/rest_client.h"

namespace fireweed::cli {
namespace {

void PrintToken(const Settings& settings) {
  RestClient client(settings.Daemon(), ReadOwner(settings.State()));
  fmt::print("{}\n", client.AccessToken());
}

}  // namespace

void AddAuthCommands(CLI::App& app, Settings& settings) {
  CLI::App* group = app.add_subcommand("auth", "Who you are here, in gcloud's grammar");
  group->require_subcommand(1);
  group->add_subcommand("print-access-token", "Print a token for Authorization: Bearer")
      ->callback([&settings] { PrintToken(settings); });
  CLI::App* defaults = group->add_subcommand("application-default", "Credentials of libraries");
  defaults->require_subcommand(1);
  defaults->add_subcommand("print-access-token", "Print a token for Authorization: Bearer")
      ->callback([&settings] { PrintToken(settings); });
  group->add_subcommand("list", "Show the account")->callback([&settings] {
    fmt::print("{}\n", settings.Daemon().owner);
  });
}

}  // namespace fireweed::cli
