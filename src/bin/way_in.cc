#include "bin/way_in.h"

#include "api/admin/server.h"
#include "base/bytes.h"
#include "bin/upstream.h"
#include "client/endpoint.h"
#include "describe/json_codec.h"
#include "net/errors.h"

namespace fireweed {

WayIn::WayIn(Ground& given, People& people, std::function<void()> ready)
    : ground(given),
      authority(net::CertificateAuthority::Open(*ground.disk, ground.state.Path("ca"),
                                                ground.clock.Now())),
      certificates(std::make_shared<net::MintedCertificates>(*authority, ground.clock, ground.log)),
      proxy_secret(ground.Keep(kProxySecretFile, [&] { return ground.random.Hex(16); })),
      connect_policy(ConnectOptions()),
      router(people.access),
      discovery(router),
      batch(router),
      health(std::move(ready)) {}

void WayIn::Serve() {
  health.Serve(router);
  discovery.Serve();
  batch.Serve();
  router.OnRaw(api::admin::kDescribeServer.entry(),
               [this](const net::Call&) -> net::Answer { return DescribeServer(); });
}

net::GoogleConnectPolicy::Options WayIn::ConnectOptions() {
  net::GoogleConnectPolicy::Options policy;
  policy.admit = [this](std::string_view user,
                        std::string_view secret) -> std::optional<std::string> {
    if (!EqualConstantTime(secret, proxy_secret)) return std::nullopt;
    if (user == kSignInProxyUser) return std::string(identity::kOwnerPrincipal);
    return user == kProxyUser ? std::optional<std::string>("") : std::nullopt;
  };
  const std::string& configured = ground.options.config.proxy.upstream;
  policy.upstream = ParseUpstream(configured.empty() ? ground.options.upstream_proxy : configured);
  policy.not_upstream = SplitList(ground.options.no_proxy);
  return policy;
}

net::Response WayIn::DescribeServer() const {
  api::admin::ServerDescription server{
      authority->certificate_pem(), FIREWEED_VERSION, ground.daemon_id,
      ground.options.config.projects.default_project, ground.options.config.projects.zone};
  return net::JsonResponse(200, EncodeJson(server));
}

void WayIn::Listen(net::HttpServer& server, net::Dispatcher& front) {
  net::ListenerConfig plain;
  plain.socket = std::move(ground.sockets.http);
  plain.dispatcher = &front;
  plain.certificates = certificates;
  plain.connect = &connect_policy;
  server.Open(std::move(plain));
  net::ListenerConfig tls;
  tls.socket = std::move(ground.sockets.https);
  tls.dispatcher = &front;
  tls.certificates = certificates;
  tls.tls = true;
  server.Open(std::move(tls));
}

}  // namespace fireweed
