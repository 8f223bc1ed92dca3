#include "compute/disk_controller.h"

namespace fireweed::compute {
namespace {

// No disk's key: those have three words.
constexpr const char* kSweep = "sweep";

}  // namespace

std::optional<std::vector<Key>> DiskController::start_keys() const {
  return std::vector<Key>{kSweep};
}

std::vector<Key> DiskController::Concerns(std::string_view, const Key& image) {
  auto row = Query(catalog_, [&](Txn& txn) { return txn.Find<ImageRecord>(image); });
  // One that is made no longer needs its disk, which may have been deleted meanwhile.
  if (row && row->value.resource.status == "PENDING") return {};
  due_ = true;
  return {kSweep};
}

std::optional<Time> DiskController::Reconcile(const Key& key) {
  if (key != kSweep) {
    if (Query(catalog_, [&](Txn& txn) { return txn.Find<DiskRecord>(key); })) return std::nullopt;
    due_ = true;
  }
  // While a sweep runs nothing is submitted; its end brings the sweep's key here again.
  if (due_) pool_.Submit(kind(), kSweep, [this] { Sweep(); });
  return std::nullopt;
}

DiskStore::Names DiskController::Known() const {
  return Query(catalog_, [](Txn& txn) {
    DiskStore::Names names;
    txn.ForEach<DiskRecord>({}, [&](const auto& row) {
      const DiskRecord& disk = row.value;
      names.disks.insert(disk.store_name());
      names.layers.insert(disk.root.layers.begin(), disk.root.layers.end());
    });
    txn.ForEach<ImageRecord>({}, [&](const auto& row) {
      const ImageRecord& image = row.value;
      if (image.resource.status == "PENDING") names.disks.insert(image.source_name());
      names.layers.insert(image.layer_name());
      names.layers.insert(image.root.layers.begin(), image.root.layers.end());
    });
    return names;
  });
}

void DiskController::Sweep() {
  due_ = false;
  Result<int> removed = store_.Sweep([this] { return Known(); });
  if (!removed.ok()) {
    log_.Warning("disks not swept", {{"error", removed.error().message}});
  } else if (*removed > 0) {
    log_.Info("disks and layers removed", {{"count", *removed}});
  }
}

}  // namespace fireweed::compute
