#include "identity/caller_cache.h"

namespace fireweed::identity {

std::shared_ptr<const net::Caller> CallerCache::Find(const Tag128& tag, Time now) {
  Shard& shard = ShardOf(tag);
  std::lock_guard lock(shard.mu);
  auto it = shard.by_tag.find(tag);
  if (it == shard.by_tag.end() || it->second.valid_until < now) return nullptr;
  return it->second.caller;
}

void CallerCache::Keep(const Tag128& tag, std::string_view row,
                       std::shared_ptr<const net::Caller> caller, Time valid_until, uint64_t turn) {
  Shard& shard = ShardOf(tag);
  std::lock_guard lock(shard.mu);
  // A drop takes its turn before it takes this lock: either it is seen here, or it will see this entry.
  if (turn_.load() != turn) return;
  if (shard.by_tag.size() >= shard_entries_) {
    auto victim = shard.by_tag.begin();
    shard.tag_of_row.erase(victim->second.row);
    shard.by_tag.erase(victim);
  }
  shard.by_tag[tag] = {std::move(caller), valid_until, std::string(row)};
  shard.tag_of_row[std::string(row)] = tag;
}

void CallerCache::DropRow(std::string_view row) {
  turn_.fetch_add(1);
  std::string key(row);
  for (Shard& shard : shards_) {
    std::lock_guard lock(shard.mu);
    auto it = shard.tag_of_row.find(key);
    if (it == shard.tag_of_row.end()) continue;
    shard.by_tag.erase(it->second);
    shard.tag_of_row.erase(it);
  }
}

void CallerCache::Clear() {
  turn_.fetch_add(1);
  for (Shard& shard : shards_) {
    std::lock_guard lock(shard.mu);
    shard.by_tag.clear();
    shard.tag_of_row.clear();
  }
}

}  // namespace fireweed::identity
