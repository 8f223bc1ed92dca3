// What for: the daemon's side of the address 169.254.169.254 inside an instance: metadata on 80, the APIs over TLS
//   on 443, names on 53. Sockets live in the instance's network, so who asks is known by the socket.
// Who calls: the instance controller on an action thread, one call per instance at a time.
// May block: for the driver's ListenInside, and in Close until sessions of those sockets have ended.
// Owns: the sockets it opened. A machine that has ended takes its sockets with it; Close is called all the same.
// A failure: Open leaves nothing open and is tried again.
#pragma once

#include "base/result.h"
#include "catalog/catalog.h"
#include "machine/machine_driver.h"

namespace fireweed::compute {

class InstanceSockets {
 public:
  virtual ~InstanceSockets() = default;
  // Again for the same handle: nothing happens. For another one: the old sockets are closed first.
  virtual Result<> Open(const Key& instance, const MachineHandle& machine) = 0;
  virtual void Close(const Key& instance) = 0;
};

}  // namespace fireweed::compute
