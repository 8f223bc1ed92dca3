// Tunnels to ports of instances, as Identity-Aware Proxy offers them: finds the instance's address and checks
// iap.tunnelInstances.accessViaIAP, also when a tunnel is resumed. net/relay_tunnels.h moves the bytes.
// Threading: pool threads.
// Blocking: for the catalog; for a second at most when a tunnel is resumed.
// Ownership: the table of open tunnels; must outlive the server.
// Errors: Failure kNotFound (instance), kInvalid (port, interface, instance not running), kDenied.
#pragma once

#include "api/iap/tunnels.h"
#include "base/random.h"
#include "catalog/catalog.h"
#include "compute/instance_identity.h"
#include "net/relay_tunnels.h"
#include "net/router.h"

namespace fireweed::compute {

class TunnelsService {
 public:
  TunnelsService(Catalog& catalog, net::AccessControl& access, InstanceIdentity& identity,
                 Random& random)
      : catalog_(catalog), access_(access), identity_(identity), tunnels_(random) {}
  void Serve(net::Router& router);

  net::Answer Connect(const api::iap::ConnectTunnel& request, const net::Call& call);
  net::Answer Reconnect(const api::iap::ReconnectTunnel& request, const net::Call& call);

 private:
  Catalog& catalog_;
  net::AccessControl& access_;
  InstanceIdentity& identity_;
  net::RelayTunnels tunnels_;
};

}  // namespace fireweed::compute
