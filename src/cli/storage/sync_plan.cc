#include "cli/storage/sync_plan.h"

namespace fireweed::cli {
namespace {

bool Differs(const SyncEntry& from, const SyncEntry& to, const SyncRules& rules) {
  if (rules.skip_existing) return false;
  if (rules.skip_newer && from.mtime && to.mtime && *to.mtime > *from.mtime) return false;
  if (from.size != to.size) return true;
  if (!rules.compare_checksums && from.mtime && to.mtime && *from.mtime == *to.mtime) return false;
  // Same size, and the times differ or are unknown: only the bytes can tell.
  if (from.checksum && to.checksum) return from.checksum() != to.checksum();
  return from.mtime != to.mtime;
}

}  // namespace

std::vector<SyncAction> PlanSync(const std::vector<SyncEntry>& source,
                                 const std::vector<SyncEntry>& destination,
                                 const SyncRules& rules) {
  std::vector<SyncAction> copies, deletions;
  auto from = source.begin();
  auto to = destination.begin();
  while (from != source.end() || to != destination.end()) {
    if (to == destination.end() || (from != source.end() && from->name < to->name)) {
      copies.push_back({SyncAction::Kind::kCopy, (from++)->name});
    } else if (from == source.end() || to->name < from->name) {
      if (rules.delete_extra) deletions.push_back({SyncAction::Kind::kDelete, to->name});
      ++to;
    } else {
      if (Differs(*from, *to, rules)) copies.push_back({SyncAction::Kind::kCopy, from->name});
      ++from;
      ++to;
    }
  }
  copies.insert(copies.end(), deletions.begin(), deletions.end());
  return copies;
}

}  // namespace fireweed::cli
