// The way in by ssh: process 1 listens on port 22, and a server is started for each connection (`sshd -i`), so that a
// machine nobody logs in to pays nothing. Accounts and host keys are brought up to date first: a key counts from the
// moment it is in the metadata. The functions that serve run in processes of their own and may block.
#pragma once

#include <string>
#include <vector>

#include "init/http_get.h"

namespace fireweed {

// A listening socket on port 22, or -1 where somebody else has it.
int OpenSshDoor();

// Takes the connection over as this process's own; the exit code where no server could be started.
int ServeSsh(int connection, const HttpServer& metadata);

// At boot: publishes the host keys as guest attributes where those are enabled.
int PrepareSsh(const HttpServer& metadata);

// A public key file's "KIND KEY comment"; empty strings for anything else. Pure.
struct PublicKey {
  std::string kind, key;
};
PublicKey ParsePublicKey(std::string_view line);

}  // namespace fireweed
