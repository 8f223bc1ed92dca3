// What for: decoded rows of one record type by key, for hot reads. Whoever asks gets a snapshot
//   that nobody changes any more, never older than the last acknowledged write of that row.
// Who calls: any thread. Peek is fit for I/O threads: one short lock, no decoding, no I/O. Get may
//   read the catalog and therefore block; it is not called from a transaction body or a sink.
// Owns: its entries. Listens to the commit feed from its construction on; may go before the
//   catalog does.
// A failure: Get throws what Catalog::Read throws.
//
// Why no reader can be behind: the feed drops a row after its commit and before the writer is told.
// A fill notes the shard's turn before it takes its snapshot and is kept only if no commit touched
// the shard since; so a snapshot from before a commit is either put in before the feed drops it, or
// not at all.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "catalog/catalog.h"

namespace fireweed {

template <class T>
class RowCache {
 public:
  using Snapshot = std::shared_ptr<const Row<T>>;  // null: there is no such row

  // Keeps at most about `capacity` rows, the most recently used ones; absence counts as a row.
  RowCache(Catalog& catalog, size_t capacity)
      : catalog_(catalog),
        shards_(std::make_shared<Shards>()),
        shard_rows_(capacity / kShards + 1) {
    catalog.OnCommit([shards = shards_](std::string_view kind, const Key& key) {
      if (kind == RecordCodec<T>::kKind) ShardOf(*shards, key).Drop(key);
    });
  }

  // What is here; nullopt when Get would have to look it up.
  std::optional<Snapshot> Peek(std::string_view key) { return ShardOf(*shards_, key).Find(key); }

  Snapshot Get(std::string_view key) {
    Shard& shard = ShardOf(*shards_, key);
    if (std::optional<Snapshot> known = shard.Find(key)) return *std::move(known);
    uint64_t turn = shard.Turn();
    Snapshot row;
    catalog_.Read([&](Txn& txn) {
      std::optional<Row<T>> found = txn.Find<T>(key);
      row = found ? std::make_shared<const Row<T>>(*std::move(found)) : nullptr;
    });
    shard.Keep(key, row, turn, shard_rows_);
    return row;
  }

 private:
  static constexpr size_t kShards = 16;

  class Shard {
   public:
    std::optional<Snapshot> Find(std::string_view key) {
      std::lock_guard lock(mu_);
      auto it = by_key_.find(key);
      if (it == by_key_.end()) return std::nullopt;
      recent_.splice(recent_.begin(), recent_, it->second);
      return it->second->row;
    }

    uint64_t Turn() {
      std::lock_guard lock(mu_);
      return turn_;
    }

    void Keep(std::string_view key, const Snapshot& row, uint64_t turn, size_t capacity) {
      std::list<Entry> dropped;  // freed after the lock
      std::lock_guard lock(mu_);
      // Another fill may have been first; both saw the same state of the row, or the turn would
      // differ.
      if (turn != turn_ || by_key_.contains(key)) return;
      recent_.push_front({Key(key), row});
      by_key_.emplace(recent_.front().key, recent_.begin());
      while (by_key_.size() > capacity) {
        by_key_.erase(recent_.back().key);
        dropped.splice(dropped.begin(), recent_, std::prev(recent_.end()));
      }
    }

    void Drop(std::string_view key) {
      std::list<Entry> dropped;
      std::lock_guard lock(mu_);
      ++turn_;
      auto it = by_key_.find(key);
      if (it == by_key_.end()) return;
      auto entry = it->second;
      by_key_.erase(it);
      dropped.splice(dropped.begin(), recent_, entry);
    }

   private:
    struct Entry {
      Key key;
      Snapshot row;
    };
    std::mutex mu_;
    uint64_t turn_ = 0;        // guarded by mu_; one more with every commit that touched the shard
    std::list<Entry> recent_;  // guarded by mu_; last used first
    // guarded by mu_; keys are views into recent_
    std::unordered_map<std::string_view, typename std::list<Entry>::iterator> by_key_;
  };
  using Shards = std::array<Shard, kShards>;

  static Shard& ShardOf(Shards& shards, std::string_view key) {
    return shards[std::hash<std::string_view>()(key) % kShards];
  }

  // Constant after construction.
  const Catalog& catalog_;
  const std::shared_ptr<Shards> shards_;  // shared with the sink, which the catalog keeps
  const size_t shard_rows_;
};

}  // namespace fireweed
