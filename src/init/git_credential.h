// git's credential helper inside a machine: the token of its service account for the source repositories.
//   git calls `fireweed-init git-credential get` with lines "protocol=https", "host=..." on standard input.
#pragma once

#include <string>
#include <string_view>

#include "init/http_get.h"

namespace fireweed {

// Whether git asks about a host that the machine's own token is meant for: no other must ever see it. Pure.
bool IsForSourceRepositories(std::string_view question);

// The exit code: 0 also where there is nothing to say, as git wants it.
int RunGitCredential(std::string_view action, const HttpServer& metadata);

}  // namespace fireweed
