#include <fmt/format.h>

#include "api/admin/identity.h"
#include "cli/commands.h"
#include "cli/grammar.h"
#include "cli/remote.h"
#include "client/rest_client.h"

namespace fireweed::cli {

void AddRemoteCommands(Command& app, Settings& settings) {
  auto email = std::make_shared<std::string>();
  Command* command = app.AddCommand("credential",
                                    "Print a credential for another machine, which lasts until "
                                    "it is revoked (`fireweed tokens list`)");
  command->AddOption("--email", *email, "Of this user (default: the local owner)");
  command->OnRun([email, &settings] {
    Endpoint endpoint = settings.Daemon();
    RestClient client(endpoint, ReadOwner(settings.State()));
    api::admin::NameUser user{email->empty() ? endpoint.owner : *email};
    fmt::print("{}\n", client.Call(api::admin::kIssueCredential, user).credential.text);
  });

  auto ready_fd = std::make_shared<int>(-1);
  // Started by `fireweed env --server`; nobody types it.
  command = app.AddCommand("forward", "Forward to the daemon of another machine");
  command->Hide();
  command->AddOption("--ready-fd", *ready_fd, "Descriptor to write a line to once it serves");
  command->OnRun([ready_fd, &settings] { Forward(settings, *ready_fd); });
}

}  // namespace fireweed::cli
