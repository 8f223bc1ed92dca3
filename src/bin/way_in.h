// How requests get in: certificates, the proxy's rules, the router and what describes it.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "bin/health.h"
#include "bin/people.h"
#include "net/batch.h"
#include "net/certificate_authority.h"
#include "net/discovery.h"
#include "net/google_connect_policy.h"
#include "net/http_server.h"
#include "net/minted_certificates.h"
#include "net/router.h"

namespace fireweed {

struct WayIn {
  // `ready` throws Failure when the daemon cannot do its work.
  WayIn(Ground& given, People& people, std::function<void()> ready);

  void Serve();
  // Opens the daemon's two ports; `front` answers what comes in.
  void Listen(net::HttpServer& server, net::Dispatcher& front);

  Ground& ground;
  std::unique_ptr<net::CertificateAuthority> authority;
  std::shared_ptr<net::MintedCertificates> certificates;
  std::string proxy_secret;
  net::GoogleConnectPolicy connect_policy;
  net::Router router;
  net::Discovery discovery;
  net::Batch batch;
  Health health;

 private:
  net::GoogleConnectPolicy::Options ConnectOptions();
  net::Response DescribeServer() const;
};

}  // namespace fireweed
