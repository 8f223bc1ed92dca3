#include "compute/tunnels_service.h"

#include <fmt/format.h>

#include "compute/instance_change.h"
#include "compute/records.h"

namespace fireweed::compute {
namespace {

constexpr std::string_view kPermission = "iap.tunnelInstances.accessViaIAP";
constexpr std::string_view kInterface = "nic0";

[[noreturn]] void Refuse(std::string message) { throw Failure(Code::kInvalid, std::move(message)); }

std::string AddressOf(const InstanceRecord& record) {
  if (record.resource.status != api::compute::InstanceStatus::kRunning) RefuseUnready(record);
  if (record.resource.networkInterfaces.empty() ||
      record.resource.networkInterfaces.front().networkIP.empty()) {
    Refuse(fmt::format("instance {} has no network address", record.resource.name));
  }
  return record.resource.networkInterfaces.front().networkIP;
}

}  // namespace

void TunnelsService::Serve(net::Router& router) {
  router.On(api::iap::kConnectTunnel, this, &TunnelsService::Connect);
  router.On(api::iap::kReconnectTunnel, this, &TunnelsService::Reconnect);
}

net::Answer TunnelsService::Connect(const api::iap::ConnectTunnel& request, const net::Call& call) {
  if (!request.host.empty()) Refuse("tunnels lead to instances only, not to a host or region");
  if (request.port < 1 || request.port > 65535) Refuse("port must be between 1 and 65535");
  const std::string project = identity_.ProjectId(request.project);
  net::Require(access_, call.caller, kPermission, "projects/" + project);
  if (!request.interface.empty() && request.interface != kInterface) {
    Refuse(fmt::format("interface '{}' does not exist; use {}", request.interface, kInterface));
  }
  InstanceRecord record = Query(catalog_, [&](Txn& txn) {
    return FindInstance(txn, project, request.zone, request.instance);
  });
  net::RelayTarget target{AddressOf(record), static_cast<uint16_t>(request.port),
                          "projects/" + project};
  return net::UpgradeAnswer(tunnels_.Open(call.http, call.caller.principal, std::move(target)));
}

net::Answer TunnelsService::Reconnect(const api::iap::ReconnectTunnel& request,
                                      const net::Call& call) {
  if (call.caller.anonymous()) net::Refuse(call.caller, kPermission, "projects");
  if (request.ack < 0) Refuse("ack must not be negative");
  const net::RelayTarget target = tunnels_.Find(request.sid, call.caller.principal);
  net::Require(access_, call.caller, kPermission, target.resource);
  return net::UpgradeAnswer(tunnels_.Resume(call.http, call.caller.principal, request.sid,
                                            static_cast<uint64_t>(request.ack)));
}

}  // namespace fireweed::compute
