#include "compute/served_sockets.h"

#include <optional>

namespace fireweed::compute {
namespace {

constexpr std::string_view kInside = "169.254.169.254";

// A socket that the driver does not have at all (kInvalid) is done without; any other failure is one.
bool Lost(const Result<UniqueFd>& socket) {
  return !socket.ok() && socket.error().code != Code::kInvalid;
}

}  // namespace

ServedSockets::~ServedSockets() {
  auto left = opened_.With([](auto& all) { return std::exchange(all, {}); });
  for (const auto& [key, opened] : left) CloseAll(opened);
}

Result<> ServedSockets::Open(const Key& instance, const MachineHandle& machine) {
  // Machines without a network of their own have no inside to listen in.
  if (!driver_.capabilities().listen_inside) return Done{};
  bool there = opened_.With([&](auto& all) {
    auto found = all.find(instance);
    return found != all.end() && found->second.handle == machine.text;
  });
  if (there) return Done{};
  Close(instance);
  Result<UniqueFd> plain = driver_.ListenInside(machine, kInside, 80, Transport::kTcp);
  if (!plain.ok()) return plain.error();
  Result<UniqueFd> secure = driver_.ListenInside(machine, kInside, 443, Transport::kTcp);
  if (Lost(secure)) return secure.error();
  Result<UniqueFd> names = driver_.ListenInside(machine, kInside, 53, Transport::kUdp);
  if (Lost(names)) return names.error();
  Result<UniqueFd> name_streams = driver_.ListenInside(machine, kInside, 53, Transport::kTcp);
  if (Lost(name_streams)) return name_streams.error();

  net::Origin origin{net::Origin::Kind::kInstance, instance};
  Opened opened{.handle = machine.text};
  // Names first: whoever finds the metadata server must be able to find the rest.
  if (names.ok() && name_streams.ok()) {
    opened.names = services_.names.Open(std::move(*names), std::move(*name_streams), instance);
  }
  if (secure.ok()) {
    net::ListenerConfig tls;
    tls.socket = std::move(*secure);
    tls.dispatcher = &services_.api;
    tls.certificates = services_.certificates;
    tls.tls = true;
    tls.origin = origin;
    opened.listeners.push_back(services_.server.Open(std::move(tls)));
  }
  net::ListenerConfig http;
  http.socket = std::move(*plain);
  http.dispatcher = &services_.metadata;
  http.origin = origin;
  opened.listeners.push_back(services_.server.Open(std::move(http)));
  opened_.With([&](auto& all) { all.insert_or_assign(instance, opened); });
  return Done{};
}

void ServedSockets::Close(const Key& instance) {
  std::optional<Opened> opened = opened_.With([&](auto& all) -> std::optional<Opened> {
    auto found = all.find(instance);
    if (found == all.end()) return std::nullopt;
    Opened taken = std::move(found->second);
    all.erase(found);
    return taken;
  });
  if (opened) CloseAll(*opened);
}

void ServedSockets::CloseAll(const Opened& opened) {
  for (int listener : opened.listeners) services_.server.Close(listener);
  if (opened.names != 0) services_.names.Close(opened.names);
}

}  // namespace fireweed::compute
