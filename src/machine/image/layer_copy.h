// What for: a writable layer of an overlay, copied to become a read-only one: owners, modes, times, links between
//   files, extended attributes and the overlay's own marks (deleted names, hidden directories) are kept.
// Threads: any; a copy uses a few threads of its own and joins them before it returns.
// May block: yes, for as long as the bytes take. Where the file system can share blocks nothing is read.
// A failure: `to` holds part of a copy, which the caller removes. ENOSPC is kExhausted.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>

#include "base/result.h"

namespace fireweed {

struct LayerCopy {
  int64_t files = 0;
  int64_t bytes = 0;  // of regular files
};

// `to` must not exist; its parent must. Where `stop` becomes true it breaks off: kCancelled. Nothing is synced: that is the caller's to do, once. Safe against a tree that
// somebody changes meanwhile: no link is followed, and no device is copied but the mark of a deleted name.
Result<LayerCopy> CopyLayer(const std::string& from, const std::string& to,
                            const std::atomic<bool>& stop);

}  // namespace fireweed
