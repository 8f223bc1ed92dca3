// What for: removes from the disk store what no record names any more: deleted disks, layers that neither an image
//   nor a disk stands on, leftovers of a crash. A deleted disk stays while an image of it is PENDING.
// Who calls: the control loop, which wakes it with every change of a disk or an image; the sweep itself runs as an
//   action, one at a time.
// A failure: logged; the next change, or the next start, sweeps again.
#pragma once

#include <atomic>

#include "base/log.h"
#include "catalog/catalog.h"
#include "compute/records.h"
#include "control/action_pool.h"
#include "control/controller.h"
#include "machine/image/disk_store.h"

namespace fireweed::compute {

class DiskController final : public Controller {
 public:
  DiskController(Catalog& catalog, ActionPool& pool, DiskStore& store, Logger& log)
      : catalog_(catalog), pool_(pool), store_(store), log_(log) {}

  std::string_view kind() const override { return kRecordKind<DiskRecord>; }
  std::optional<Time> Reconcile(const Key& key) override;
  std::vector<std::string_view> also_watches() const override { return {kRecordKind<ImageRecord>}; }
  std::vector<Key> Concerns(std::string_view kind, const Key& key) override;
  std::optional<std::vector<Key>> start_keys() const override;

 private:
  void Sweep();
  DiskStore::Names Known() const;

  // Constant after construction.
  Catalog& catalog_;
  ActionPool& pool_;
  DiskStore& store_;
  Logger& log_;

  std::atomic<bool> due_{true};  // something went since the last sweep began; true at the start
};

}  // namespace fireweed::compute
