// Clears a blob store of what no row refers to: uploads that were cut off, overwritten and deleted
// objects, drafts that nobody came back for.
//
// Safe beside uploads in flight, without regard to ages: what a writer holds is passed over, and a
// writer is kept until its row is committed (blob_store.h). So what is not held when it is listed is
// referred to by a committed row, or by none for ever.
#pragma once

#include <cstdint>
#include <functional>

#include "base/clock.h"
#include "blob/blob_store.h"

namespace fireweed {

struct SweepRules {
  Duration keep_drafts = std::chrono::hours(7 * 24);  // older ones go although a row refers to them
  Duration keep_unreferenced{0};                      // younger ones stay although none does
};

struct SweepReport {
  int64_t seen = 0;
  int64_t held = 0;
  int64_t dropped_blobs = 0;
  int64_t dropped_drafts = 0;
  int64_t failed = 0;  // could not be dropped; the next sweep tries again
};

// One thread; blocks for as long as the listing and the drops take. `is_referenced` is asked once for
// every blob and draft that is not held, after it was listed; it must see every row that was
// acknowledged by then. What it throws comes out of here.
Result<SweepReport> Sweep(BlobStore& store, const std::function<bool(const BlobId&)>& is_referenced,
                          const SweepRules& rules, Time now);

}  // namespace fireweed
