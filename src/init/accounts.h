// Creates the accounts that metadata names, with a home directory and sudo, writes the keys that may log in, and removes
// accounts from sudo when their last key is deleted. Changes files of the image; calls gpasswd.
// Threading: called in its own process; a lock file admits one at a time.
// Blocking: may block for the lock and the metadata server.
// Errors: a failure of one account is printed on the console and does not stop the others.
#pragma once

#include <optional>

#include "init/account_files.h"
#include "init/http_get.h"
#include "init/ssh_keys.h"

namespace fireweed {

// The keys that the metadata server has now. nullopt: it does not answer, and accounts are best left as they are.
std::optional<KeyMetadata> ReadKeyMetadata(const HttpServer& server);

void UpdateAccounts(const KeyMetadata& metadata);

// At boot: waits for the metadata server, then updates the accounts.
void PrepareAccounts(const HttpServer& server);

}  // namespace fireweed
