// What for: live objects that were read lately, with their bytes or their open files at hand, so that
//   the next read is answered on the I/O thread without a look at the catalog or the disk.
// Who calls: any thread. Peek is fit for I/O threads: one short lock, no I/O.
// Owns: its entries, the least recently used of which go when they weigh too much. Listens to the
//   commit feed from its construction on; may go before the catalog does.
//
// Why no reader is behind an acknowledged write: as in catalog/row_cache.h. The feed drops an object
// after its commit and before the writer is told. Whoever fills notes the turn before it opens the
// object, and is kept only if no commit touched the shard since.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>

#include "catalog/catalog.h"
#include "storage/object_bytes.h"
#include "storage/object_row.h"

namespace fireweed::storage {

struct OpenedObject {
  ObjectRow row;
  std::shared_ptr<const ObjectBytes> bytes;
};

// An opened object, and the header lines of a plain answer with it, written when first needed.
class HotObject {
 public:
  explicit HotObject(OpenedObject object) : object_(std::move(object)) {}
  const OpenedObject& object() const { return object_; }
  // Any thread; `write` is called at most once.
  const std::shared_ptr<const std::string>& Lines(const std::function<std::string()>& write) const {
    std::call_once(written_, [&] { lines_ = std::make_shared<const std::string>(write()); });
    return lines_;
  }

 private:
  const OpenedObject object_;
  mutable std::once_flag written_;
  mutable std::shared_ptr<const std::string> lines_;
};

class HotObjects {
 public:
  using Entry = std::shared_ptr<const HotObject>;

  HotObjects(Catalog& catalog, int64_t max_bytes);

  // Null: not here, which says nothing of whether there is such an object.
  Entry Peek(std::string_view bucket, std::string_view name);

  // To fill: Turn, then open the live version, then Keep.
  uint64_t Turn(std::string_view bucket, std::string_view name);
  void Keep(std::string_view bucket, std::string_view name, Entry object, uint64_t turn);

  // Forgets everything: bytes that were taken for sound are not.
  void Clear();

 private:
  static constexpr size_t kShards = 16;
  struct Kept {
    std::string key;
    Entry object;
    int64_t weight = 0;
  };
  struct Shard {
    void Drop(std::string_view key);

    std::mutex mu;
    uint64_t turn = 0;       // guarded by mu; one more with every commit that touched the shard
    int64_t weight = 0;      // guarded by mu; of all entries
    std::list<Kept> recent;  // guarded by mu; last used first
    // guarded by mu; keys are views into recent
    std::unordered_map<std::string_view, std::list<Kept>::iterator> by_key;
  };
  using Shards = std::array<Shard, kShards>;

  static Shard& ShardOf(Shards& shards, std::string_view key) {
    return shards[std::hash<std::string_view>()(key) % kShards];
  }

  const std::shared_ptr<Shards> shards_;  // shared with the sink, which the catalog keeps
  const int64_t shard_bytes_;
};

}  // namespace fireweed::storage
