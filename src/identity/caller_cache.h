// What for: from a presented token to its caller without touching the catalog or computing a digest.
// Threads: any; one short lock of a sixteenth of the table.
// Holds no token: entries are found by a keyed 128-bit hash, drawn anew at every start.
// Never behind: whoever commits a change calls DropRow or Clear from the commit feed, before the writer is told;
//   a fill that began before such a call is not kept (see Turn).
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>

#include "base/clock.h"
#include "identity/keyed_hash.h"
#include "net/access.h"

namespace fireweed::identity {

class CallerCache {
 public:
  CallerCache(const HashKey& key, size_t capacity)
      : key_(key), shard_entries_(capacity / kShards + 1) {}

  Tag128 TagOf(std::string_view token) const { return KeyedHash(key_).Add(token).Finish(); }

  // Null when it is not here or no longer valid at `now`.
  std::shared_ptr<const net::Caller> Find(const Tag128& tag, Time now);

  // Taken before the rows behind an entry are read, handed to Keep.
  uint64_t Turn() const { return turn_.load(); }
  void Keep(const Tag128& tag, std::string_view row, std::shared_ptr<const net::Caller> caller,
            Time valid_until, uint64_t turn);

  void DropRow(std::string_view row);  // what was kept for this row of the catalog
  void Clear();

 private:
  static constexpr size_t kShards = 16;
  struct TagHash {
    size_t operator()(const Tag128& tag) const { return tag.low; }
  };
  struct Entry {
    std::shared_ptr<const net::Caller> caller;
    Time valid_until;
    std::string row;
  };
  struct Shard {
    std::mutex mu;
    std::unordered_map<Tag128, Entry, TagHash> by_tag;   // guarded by mu
    std::unordered_map<std::string, Tag128> tag_of_row;  // guarded by mu
  };
  Shard& ShardOf(const Tag128& tag) { return shards_[tag.high % kShards]; }

  // Constant after construction.
  const HashKey key_;
  const size_t shard_entries_;

  std::atomic<uint64_t> turn_{0};
  std::array<Shard, kShards> shards_;
};

}  // namespace fireweed::identity
