#include "net/relay_tunnels.h"

#include "base/error.h"
#include "net/relay_messages.h"
#include "net/relay_tunnel.h"
#include "net/websocket.h"

namespace fireweed::net {
namespace {

constexpr size_t kSidBytes = 24;

[[noreturn]] void RefuseSid() {
  throw Failure(Code::kNotFound, "this tunnel does not exist or has been closed");
}

}  // namespace

std::shared_ptr<Upgrade> RelayTunnels::Open(const Request& request, const std::string& caller,
                                            RelayTarget target) {
  std::string head = AcceptWebSocket(request, kRelaySubprotocol);
  return std::make_shared<RelayTunnel>(*this, std::move(head), caller, random_.Hex(kSidBytes),
                                       std::move(target), RelayState{});
}

RelayTarget RelayTunnels::Find(const std::string& sid, const std::string& caller) {
  return Get(sid, caller)->target();
}

std::shared_ptr<Upgrade> RelayTunnels::Resume(const Request& request, const std::string& caller,
                                              const std::string& sid, uint64_t acked) {
  std::string head = AcceptWebSocket(request, kRelaySubprotocol);
  std::shared_ptr<RelayTunnel> earlier = Get(sid, caller);
  std::optional<RelayState> state = earlier->HandOver();
  if (!state) {
    throw Failure(Code::kUnavailable, "the tunnel is still in use by its earlier connection");
  }
  if (acked < state->confirmed || acked - state->confirmed > state->unacked.size()) {
    throw Failure(Code::kInvalid, "ack is not a number of bytes that this tunnel has sent");
  }
  state->unacked.erase(0, acked - state->confirmed);
  state->confirmed = acked;
  return std::make_shared<RelayTunnel>(*this, std::move(head), caller, sid, earlier->target(),
                                       std::move(*state));
}

int64_t RelayTunnels::count() const {
  return state_.With([](const State& state) {
    int64_t all = 0;
    for (const auto& [caller, tunnels] : state.by_caller) all += tunnels;
    return all;
  });
}

void RelayTunnels::TakePlace(const std::string& caller) {
  const bool taken = state_.With([&](State& state) {
    int& tunnels = state.by_caller[caller];
    if (tunnels >= limits_.per_caller) return false;
    ++tunnels;
    return true;
  });
  if (taken) return;
  throw Failure(Code::kExhausted, "rateLimitExceeded",
                "too many open tunnels; limit per caller: " + std::to_string(limits_.per_caller));
}

void RelayTunnels::GivePlace(const std::string& caller) {
  state_.With([&](State& state) {
    auto found = state.by_caller.find(caller);
    if (--found->second == 0) state.by_caller.erase(found);
  });
}

void RelayTunnels::Add(const std::string& sid, std::shared_ptr<RelayTunnel> tunnel) {
  state_.With([&](State& state) { state.by_sid[sid] = std::move(tunnel); });
}

void RelayTunnels::Remove(const std::string& sid, const RelayTunnel* tunnel) {
  std::shared_ptr<RelayTunnel> last;  // destroyed without the lock, which its destructor takes
  state_.With([&](State& state) {
    auto found = state.by_sid.find(sid);
    if (found == state.by_sid.end() || found->second.get() != tunnel) return;
    last = std::move(found->second);
    state.by_sid.erase(found);
  });
}

// The caller is part of the name: session ids are secrets, and one that leaked opens nothing by itself.
std::shared_ptr<RelayTunnel> RelayTunnels::Get(const std::string& sid, const std::string& caller) {
  std::shared_ptr<RelayTunnel> found = state_.With([&](State& state) {
    auto entry = state.by_sid.find(sid);
    return entry == state.by_sid.end() ? nullptr : entry->second;
  });
  if (!found || found->caller() != caller) RefuseSid();
  return found;
}

}  // namespace fireweed::net
