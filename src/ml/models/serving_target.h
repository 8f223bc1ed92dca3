// What for: one version as requests see it: where its process listens, who waits for it, how it does.
// Threads: any; no call blocks. Callbacks given to Await run on the thread that publishes.
// Owns: the way to the process (shared with requests under way) and the waiting callbacks.
// A failure: Next throws once the version was withdrawn.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/guarded.h"
#include "net/forward.h"

namespace fireweed::ml {

// Upper bounds of the latency histogram, in microseconds; the last bucket has none.
inline constexpr std::array<int64_t, 12> kLatencyBounds{
    100, 250, 500, 1'000, 2'500, 5'000, 10'000, 25'000, 100'000, 250'000, 1'000'000, 10'000'000};

struct ServingCounters {
  std::atomic<int64_t> requests{0}, errors{0}, refused{0}, micros{0};
  std::array<std::atomic<int64_t>, kLatencyBounds.size() + 1> buckets{};

  void Count(Duration took, bool failed);
};

class ServingTarget {
 public:
  // `wanted` is called, on any thread, when somebody waits and no process is there. It must not block.
  ServingTarget(std::string name, std::function<void()> wanted)
      : name_(std::move(name)), wanted_(std::move(wanted)) {}

  // Null: nobody is there now; whoever wants to wait calls Await. Throws Failure when it was withdrawn.
  std::shared_ptr<net::Backend> Next();
  void Await(std::function<void()> then);
  // The process at `backend` takes no connections: nobody is sent there again.
  void Drop(const std::shared_ptr<net::Backend>& backend);

  // Whoever waits is let go. The same path again keeps the connections that are open.
  void Publish(const std::string& socket_path);
  void Unpublish();
  // For good: whoever waits and comes is told `why`.
  void Withdraw(Error why);
  bool published() const;
  // A request that came to wait while this was asked is counted.
  int64_t waiting() const;

  // False when there are `most` already.
  bool Enter(int64_t most);
  void Leave(Time now);
  int64_t in_flight() const { return in_flight_.load(); }
  std::optional<Time> last_use() const;

  const std::string& name() const { return name_; }
  ServingCounters counters;

 private:
  struct State {
    std::shared_ptr<net::Backend> backend;
    std::vector<std::function<void()>> waiting;
    std::optional<Error> withdrawn;
  };

  const std::string name_;
  const std::function<void()> wanted_;
  mutable Guarded<State> state_;
  std::atomic<int64_t> in_flight_{0};
  std::atomic<int64_t> last_use_micros_{0};
};

// All versions that have a target. Any thread; nothing blocks.
class ServingTable {
 public:
  explicit ServingTable(std::function<void(const std::string& version)> wanted)
      : wanted_(std::move(wanted)) {}
  // Made when missing.
  std::shared_ptr<ServingTarget> Ensure(const std::string& version);
  std::shared_ptr<ServingTarget> Find(const std::string& version) const;
  void Forget(const std::string& version);
  std::vector<std::shared_ptr<ServingTarget>> All() const;

 private:
  using Targets = std::map<std::string, std::shared_ptr<ServingTarget>, std::less<>>;
  const std::function<void(const std::string&)> wanted_;
  mutable Guarded<Targets> targets_;
};

}  // namespace fireweed::ml
