// The sockets of instances, served by the daemon's HTTP server and the name server.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/guarded.h"
#include "compute/instance_sockets.h"
#include "compute/name_server.h"
#include "net/certificates.h"
#include "net/http_server.h"

namespace fireweed::compute {

// Who answers inside. The references outlive the sockets.
struct InsideServices {
  net::HttpServer& server;
  net::Dispatcher& metadata;                             // port 80
  net::Dispatcher& api;                                  // port 443
  std::shared_ptr<net::CertificateSource> certificates;  // for Google's names
  NameServer& names;                                     // port 53
};

class ServedSockets final : public InstanceSockets {
 public:
  ServedSockets(MachineDriver& driver, InsideServices services)
      : driver_(driver), services_(std::move(services)) {}
  ~ServedSockets() override;

  Result<> Open(const Key& instance, const MachineHandle& machine) override;
  void Close(const Key& instance) override;

 private:
  struct Opened {
    std::string handle;
    std::vector<int> listeners;  // of the HTTP server
    int names = 0;               // of the name server; 0: none
  };
  void CloseAll(const Opened& opened);

  MachineDriver& driver_;
  const InsideServices services_;
  Guarded<std::map<Key, Opened>> opened_;
};

}  // namespace fireweed::compute
