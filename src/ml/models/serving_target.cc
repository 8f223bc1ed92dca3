#include "ml/models/serving_target.h"

#include <algorithm>
#include <utility>

namespace fireweed::ml {

void ServingCounters::Count(Duration took, bool failed) {
  int64_t spent = std::chrono::duration_cast<std::chrono::microseconds>(took).count();
  requests.fetch_add(1, std::memory_order_relaxed);
  micros.fetch_add(spent, std::memory_order_relaxed);
  if (failed) errors.fetch_add(1, std::memory_order_relaxed);
  auto bound = std::lower_bound(kLatencyBounds.begin(), kLatencyBounds.end(), spent);
  buckets[static_cast<size_t>(bound - kLatencyBounds.begin())].fetch_add(1,
                                                                         std::memory_order_relaxed);
}

std::shared_ptr<net::Backend> ServingTarget::Next() {
  return state_.With([](State& state) {
    if (state.withdrawn) throw Failure(*state.withdrawn);
    return state.backend;
  });
}

void ServingTarget::Await(std::function<void()> then) {
  bool waits = state_.With([&](State& state) {
    if (state.backend || state.withdrawn) return false;
    state.waiting.push_back(std::move(then));
    return true;
  });
  if (waits) {
    wanted_();
  } else {
    then();
  }
}

void ServingTarget::Drop(const std::shared_ptr<net::Backend>& backend) {
  bool dropped = state_.With([&](State& state) {
    if (state.backend != backend) return false;
    state.backend.reset();
    return true;
  });
  if (dropped) wanted_();
}

void ServingTarget::Publish(const std::string& socket_path) {
  std::vector<std::function<void()>> waiting = state_.With([&](State& state) {
    if (!state.backend || state.backend->path() != socket_path) {
      state.backend = std::make_shared<net::Backend>(socket_path);
    }
    state.withdrawn.reset();
    return std::exchange(state.waiting, {});
  });
  for (const auto& then : waiting) then();
}

void ServingTarget::Unpublish() {
  state_.With([](State& state) { state.backend.reset(); });
}

void ServingTarget::Withdraw(Error why) {
  std::vector<std::function<void()>> waiting = state_.With([&](State& state) {
    state.backend.reset();
    state.withdrawn = std::move(why);
    return std::exchange(state.waiting, {});
  });
  for (const auto& then : waiting) then();
}

bool ServingTarget::published() const {
  return state_.With([](State& state) { return state.backend != nullptr; });
}

int64_t ServingTarget::waiting() const {
  return state_.With([](State& state) { return static_cast<int64_t>(state.waiting.size()); });
}

bool ServingTarget::Enter(int64_t most) {
  if (in_flight_.fetch_add(1) < most) return true;
  in_flight_.fetch_sub(1);
  counters.refused.fetch_add(1, std::memory_order_relaxed);
  return false;
}

void ServingTarget::Leave(Time now) {
  last_use_micros_.store(ToMicros(now), std::memory_order_relaxed);
  in_flight_.fetch_sub(1);
}

std::optional<Time> ServingTarget::last_use() const {
  int64_t micros = last_use_micros_.load(std::memory_order_relaxed);
  if (micros == 0) return std::nullopt;
  return FromMicros(micros);
}

std::shared_ptr<ServingTarget> ServingTable::Ensure(const std::string& version) {
  return targets_.With([&](Targets& targets) {
    std::shared_ptr<ServingTarget>& target = targets[version];
    if (!target) {
      target = std::make_shared<ServingTarget>(version,
                                               [wanted = wanted_, version] { wanted(version); });
    }
    return target;
  });
}

std::shared_ptr<ServingTarget> ServingTable::Find(const std::string& version) const {
  return targets_.With([&](const Targets& targets) -> std::shared_ptr<ServingTarget> {
    auto found = targets.find(version);
    return found == targets.end() ? nullptr : found->second;
  });
}

void ServingTable::Forget(const std::string& version) {
  std::shared_ptr<ServingTarget> dropped = targets_.With([&](Targets& targets) {
    std::shared_ptr<ServingTarget> target;
    auto found = targets.find(version);
    if (found == targets.end()) return target;
    target = found->second;
    targets.erase(found);
    return target;
  });
  if (dropped) dropped->Withdraw({Code::kNotFound, "", "The version was deleted."});
}

std::vector<std::shared_ptr<ServingTarget>> ServingTable::All() const {
  return targets_.With([](const Targets& targets) {
    std::vector<std::shared_ptr<ServingTarget>> all;
    for (const auto& [name, target] : targets) all.push_back(target);
    return all;
  });
}

}  // namespace fireweed::ml
