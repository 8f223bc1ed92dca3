// The daemon as one object: everything is made in the constructor in the order of its members and
// ends in the reverse order. wiring.cc is the only place where concrete classes meet.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "bin/config.h"

namespace fireweed {

struct DaemonOptions {
  std::string state;              // absolute path
  std::string program_directory;  // where the daemon's companions lie
  std::string upstream_proxy;     // HTTPS_PROXY of the environment; empty: none
  std::string no_proxy;           // NO_PROXY likewise
  Config config;
};

class Daemon {
 public:
  // Opens the state, binds the sockets and serves. Throws Failure that says what is in the way.
  explicit Daemon(DaemonOptions options);
  // Lets running requests finish (30 s at most), then ends. Instances go on.
  ~Daemon();
  Daemon(const Daemon&) = delete;

  // The discovery document of the API of that name, as served; empty when there is none.
  std::string Discovery(const std::string& service) const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

// Stops this state directory's instances for good (stopped in the catalog, jobs cancelled, groups empty) and removes
// what they left on the host. No daemon may run.
void PurgeMachines(const DaemonOptions& options);

}  // namespace fireweed
