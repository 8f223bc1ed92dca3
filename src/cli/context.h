// What a command knows of the world it was called in. Everything is handed in by main, so that
// commands can be run by tests.
#pragma once

#include <cstdio>
#include <string>

#include "cli/env_plan.h"
#include "client/endpoint.h"

namespace fireweed::cli {

struct Context {
  Environment environment;
  std::string program_directory;  // where `fireweed` lies; fireweedd lies beside it
  std::string home;
  unsigned user_id = 0;
  bool terminal = false;  // standard output is one
};

// Options every command shares.
struct Settings {
  const Context* context = nullptr;
  std::string state;  // --state; empty: FIREWEED_STATE, else the default
  bool json = false;

  // The state directory in force.
  std::string State() const;
  // The daemon's endpoint, with the project and zone that `config set` chose in this shell. Throws Failure that
  // explains how to start a daemon.
  Endpoint Daemon() const;
};

// ~/.fireweed, or /var/lib/fireweed for root.
std::string DefaultState(const Context& context);
// The file in which gcloud keeps its properties in a shell that ran `fireweed env`; empty elsewhere.
std::string ClientConfigPath(const Context& context);
// Whether the process that wrote this endpoint (the daemon, or a forwarder to one elsewhere) still
// serves.
bool IsAlive(const Endpoint& endpoint);

}  // namespace fireweed::cli
