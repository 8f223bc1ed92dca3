// A daemon on another machine, used as if it were here: its directory on this machine holds what a
// local daemon's would (endpoint, certificate authority, credential, proxy secret), and a small
// process, the forwarder, stands where its proxy would. Google's names go to the daemon as they
// are, so that TLS is between the client and the daemon; the forwarder can neither read nor sign.
#pragma once

#include <string>

#include "cli/context.h"

namespace fireweed::cli {

struct RemoteDaemon {
  std::string server;  // "https://HOST:PORT"
  std::string
      fingerprint;         // of its certificate authority, as `fireweed ca --fingerprint` prints it
  std::string credential;  // file that `fireweed credential` printed there; may be empty later on
};

// Where what is known of this daemon is kept, unless --state says otherwise.
std::string RemoteState(const Context& context, const RemoteDaemon& remote);
// Fetches and checks the authority and writes the directory. May be repeated. Throws Failure: the
// daemon cannot be reached, its authority is another, or there is no credential yet.
void PrepareRemote(const std::string& state, const RemoteDaemon& remote);
// Starts the forwarder when it does not run; returns when it serves.
void EnsureForwarder(const Settings& settings, const std::string& state);
// The forwarder itself: serves until SIGTERM or SIGINT.
void Forward(const Settings& settings, int ready_fd);

}  // namespace fireweed::cli
