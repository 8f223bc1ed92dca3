// What for: answers to "may X do P on R" that were worked out once. A table of single words without locks: each
//   holds 63 bits of a keyed hash of the whole question and one bit of answer.
// Threads: any; Find and Keep never wait.
// Never behind: the question contains the turn, and every change of a policy or group begins a new turn, so that
//   answers of earlier turns can no longer be found. A question from outside can hit the answer to another one
//   with a chance of 2^-63 only, and the key is drawn at every start.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

#include "identity/keyed_hash.h"
#include "net/access.h"

namespace fireweed::identity {

class DecisionCache {
 public:
  explicit DecisionCache(const HashKey& key)
      : key_(key), slots_(new std::atomic<uint64_t>[kSlots]()) {}

  // Taken before the rows behind an answer are read.
  uint64_t Turn() const { return turn_.load(std::memory_order_acquire); }
  void BeginTurn() { turn_.fetch_add(1, std::memory_order_acq_rel); }

  Tag128 TagOf(uint64_t turn, const net::Caller& caller, std::string_view permission,
               std::string_view resource) const {
    KeyedHash hash(key_);
    hash.Add(turn).Add(caller.principal).Add(uint64_t{caller.scopes.size()});
    for (const std::string& scope : caller.scopes) hash.Add(scope);
    return hash.Add(permission).Add(resource).Finish();
  }

  std::optional<bool> Find(const Tag128& tag) const {
    uint64_t word = slots_[tag.low % kSlots].load(std::memory_order_relaxed);
    if ((word | 1) != (tag.high | 1)) return std::nullopt;
    return (word & 1) != 0;
  }
  void Keep(const Tag128& tag, bool answer) {
    slots_[tag.low % kSlots].store((tag.high & ~uint64_t{1}) | (answer ? 1 : 0),
                                   std::memory_order_relaxed);
  }

 private:
  static constexpr size_t kSlots = 8192;

  const HashKey key_;
  const std::unique_ptr<std::atomic<uint64_t>[]> slots_;
  std::atomic<uint64_t> turn_{1};
};

}  // namespace fireweed::identity
