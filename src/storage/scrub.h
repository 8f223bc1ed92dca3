// What for: reads every object from time to time and compares it with its checksums, so that bytes that
//   went bad are known before somebody needs them.
// Who calls: one thread, which may block for hours; the counters any thread.
// Owns: its counters. What it finds goes to DamagedBlobs and the log.
// A failure: Failure where the catalog cannot be read; the next pass begins anew.
#pragma once

#include <atomic>
#include <functional>

#include "base/log.h"
#include "storage/damaged_blobs.h"
#include "storage/object_check.h"

namespace fireweed::storage {

struct ScrubCounters {
  int64_t passes = 0;              // completed
  int64_t objects = 0, bytes = 0;  // read so far, in all passes
  int64_t mismatches = 0;          // found so far
  int64_t damaged = 0;             // blobs known to be bad now
};

class Scrub {
 public:
  // `on_damage` is told after a mark is set, so that caches can be cleared. May be empty.
  Scrub(Catalog& catalog, const BlobStore& blobs, DamagedBlobs& damaged, Logger& log,
        std::function<void()> on_damage)
      : catalog_(catalog),
        blobs_(blobs),
        damaged_(damaged),
        log_(log),
        on_damage_(std::move(on_damage)) {}

  // One pass over everything. False when `pace` stopped it.
  bool Pass(const Pace& pace);
  ScrubCounters counters() const;

 private:
  void Note(const StoredVersion& version, const ObjectVerdict& verdict);

  Catalog& catalog_;
  const BlobStore& blobs_;
  DamagedBlobs& damaged_;
  Logger& log_;
  const std::function<void()> on_damage_;
  std::atomic<int64_t> passes_{0}, objects_{0}, bytes_{0}, mismatches_{0};
};

}  // namespace fireweed::storage
