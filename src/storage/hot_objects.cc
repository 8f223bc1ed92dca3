#include "storage/hot_objects.h"

#include <utility>

namespace fireweed::storage {
namespace {

constexpr int64_t kRowWeight = 1 << 10;    // a row with its strings, about
constexpr int64_t kFileWeight = 64 << 10;  // descriptors are scarcer than memory

int64_t WeightOf(const OpenedObject& object) {
  if (std::shared_ptr<const std::string> bytes = object.bytes->in_memory()) {
    return kRowWeight + static_cast<int64_t>(bytes->size());
  }
  return kRowWeight + kFileWeight * static_cast<int64_t>(object.row.parts.size());
}

}  // namespace

HotObjects::HotObjects(Catalog& catalog, int64_t max_bytes)
    : shards_(std::make_shared<Shards>()), shard_bytes_(max_bytes / int64_t{kShards}) {
  catalog.OnCommit([shards = shards_](std::string_view kind, const Key& key) {
    if (kind == RecordCodec<LiveObject>::kKind) ShardOf(*shards, key).Drop(key);
  });
}

void HotObjects::Shard::Drop(std::string_view key) {
  std::list<Kept> dropped;  // freed after the lock
  std::lock_guard lock(mu);
  ++turn;
  auto it = by_key.find(key);
  if (it == by_key.end()) return;
  std::list<Kept>::iterator kept = it->second;
  weight -= kept->weight;
  by_key.erase(it);
  dropped.splice(dropped.begin(), recent, kept);
}

HotObjects::Entry HotObjects::Peek(std::string_view bucket, std::string_view name) {
  std::string key = LiveKey(bucket, name);
  Shard& shard = ShardOf(*shards_, key);
  std::lock_guard lock(shard.mu);
  auto it = shard.by_key.find(key);
  if (it == shard.by_key.end()) return nullptr;
  shard.recent.splice(shard.recent.begin(), shard.recent, it->second);
  return it->second->object;
}

uint64_t HotObjects::Turn(std::string_view bucket, std::string_view name) {
  Shard& shard = ShardOf(*shards_, LiveKey(bucket, name));
  std::lock_guard lock(shard.mu);
  return shard.turn;
}

void HotObjects::Keep(std::string_view bucket, std::string_view name, Entry object, uint64_t turn) {
  std::string key = LiveKey(bucket, name);
  int64_t weight = WeightOf(object->object()) + static_cast<int64_t>(key.size());
  Shard& shard = ShardOf(*shards_, key);
  std::list<Kept> dropped;  // freed, and files closed, after the lock
  std::lock_guard lock(shard.mu);
  if (weight > shard_bytes_ || turn != shard.turn || shard.by_key.contains(key)) return;
  shard.recent.push_front({std::move(key), std::move(object), weight});
  shard.by_key.emplace(shard.recent.front().key, shard.recent.begin());
  shard.weight += weight;
  while (shard.weight > shard_bytes_) {
    std::list<Kept>::iterator oldest = std::prev(shard.recent.end());
    shard.weight -= oldest->weight;
    shard.by_key.erase(oldest->key);
    dropped.splice(dropped.begin(), shard.recent, oldest);
  }
}

void HotObjects::Clear() {
  for (Shard& shard : *shards_) {
    std::list<Kept> dropped;
    std::lock_guard lock(shard.mu);
    ++shard.turn;
    shard.weight = 0;
    shard.by_key.clear();
    dropped.swap(shard.recent);
  }
}

}  // namespace fireweed::storage
