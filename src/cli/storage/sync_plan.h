// What rsync has to do, from two lists of names. Pure: checksums that cost a read are asked for only where nothing
// cheaper tells.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace fireweed::cli {

struct SyncEntry {
  std::string name;  // relative to the synchronised root
  int64_t size = 0;
  std::optional<int64_t> mtime;           // seconds
  std::function<std::string()> checksum;  // base64 crc32c; may read the file
};

struct SyncRules {
  bool delete_extra = false;       // -d
  bool compare_checksums = false;  // -c: never trust times
  bool skip_existing = false;      // -i
  bool skip_newer = false;         // -u: leave what is newer at the destination
};

struct SyncAction {
  enum class Kind { kCopy, kDelete } kind = Kind::kCopy;
  std::string name;

  friend bool operator==(const SyncAction&, const SyncAction&) = default;
};

// REQUIRES: both lists sorted by name, no name twice. Deletions come after all copies: a failed copy loses nothing.
std::vector<SyncAction> PlanSync(const std::vector<SyncEntry>& source,
                                 const std::vector<SyncEntry>& destination, const SyncRules& rules);

}  // namespace fireweed::cli
