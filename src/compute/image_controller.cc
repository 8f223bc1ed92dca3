#include "compute/image_controller.h"

#include <fmt/format.h>

#include "compute/disks.h"
#include "compute/links.h"
#include "control/backoff.h"
#include "control/operations.h"

namespace fireweed::compute {
namespace {

constexpr int kMostTries = 5;
constexpr BackoffRule kImageBackoff{.first = std::chrono::milliseconds(200),
                                    .longest = std::chrono::minutes(1)};

bool MayHelpToTryAgain(Code code) {
  return code == Code::kExhausted || code == Code::kUnavailable || code == Code::kInternal;
}

}  // namespace

std::optional<Time> ImageController::Reconcile(const Key& key) {
  auto row = Query(catalog_, [&](Txn& txn) { return txn.Find<ImageRecord>(key); });
  if (!row || row->value.resource.status != "PENDING") return std::nullopt;
  if (!MayTry(row->value.backoff, clock_.Now())) return row->value.backoff.next_try;
  pool_.Submit(kind(), key, [this, key] { Make(key); });
  return std::nullopt;
}

void ImageController::Make(const Key& key) {
  auto row = Query(catalog_, [&](Txn& txn) { return txn.Find<ImageRecord>(key); });
  if (!row || row->value.resource.status != "PENDING") return;
  const ImageRecord& record = row->value;
  Time begun = clock_.Now();
  Result<MadeImage> made = record.resource.rawDisk ? FromArchive(record) : FromDisk(record);
  // Still PENDING, for the next start to make.
  if (!made.ok() && made.error().code == Code::kCancelled) return;
  if (!made.ok()) return NoteFailure(record, made.error());
  NoteReady(record, *made);
  log_.Info("image made", {{"image", key},
                           {"bytes", made->bytes},
                           {"took", std::chrono::duration<double>(clock_.Now() - begun).count()}});
}

Result<ImageController::MadeImage> ImageController::FromDisk(const ImageRecord& record) {
  // Nobody boots from the disk while it is held, and whoever had begun before is seen below. Should it be deleted
  // meanwhile, its bytes stay as long as the image is PENDING.
  DiskStore::Hold hold(store_, record.source_name());
  DiskRecord disk;
  try {
    disk = Query(catalog_, [&](Txn& txn) {
      DiskRecord found = FindDisk(txn, record.project, "", record.resource.sourceDisk);
      std::optional<std::string> user = RunningUser(txn, found);
      if (user && !record.force) {
        throw Failure(Code::kInvalid, "RESOURCE_IN_USE_BY_ANOTHER_RESOURCE",
                      fmt::format("The disk resource '{}' is already being used by '{}'",
                                  found.resource.selfLink, *user));
      }
      return found;
    });
  } catch (const Failure& failure) {
    return failure.error();
  }
  if (std::to_string(disk.resource.id) != record.resource.sourceDiskId) {
    return Error{Code::kNotFound, "", "The source disk was deleted before the image was made."};
  }
  Result<LayerCopy> copy = store_.MakeLayer(disk.store_name(), record.layer_name());
  if (!copy.ok()) return copy.error();
  MadeImage made{disk.root, copy->bytes};
  if (copy->files > 0) made.root.layers.insert(made.root.layers.begin(), record.layer_name());
  return made;
}

Result<ImageController::MadeImage> ImageController::FromArchive(const ImageRecord& record) {
  MadeImage made{{.layers = {record.layer_name()}, .whole = true}, 0};
  // Of an earlier try, which has finished the layer but not the image.
  made.root.container = record.root.container;
  auto fill = [&](const std::string& directory) -> Result<> {
    Result<ContainerConfig> container = import_(record.resource.rawDisk->source, directory);
    if (!container.ok()) return container.error();
    made.root.container = *container;
    NoteContainer(record, *container);
    return Done{};
  };
  Result<> filled = store_.FillLayer(record.layer_name(), fill);
  if (!filled.ok()) return filled.error();
  return made;
}

// Before the layer is there: a later try takes that as it is and does not look into the archive again.
void ImageController::NoteContainer(const ImageRecord& record, const ContainerConfig& container) {
  if (container == ContainerConfig{}) return;
  catalog_.Write("image unpacked", [&](Txn& txn) {
    auto row = txn.Find<ImageRecord>(record.key());
    if (!row || row->value.resource.id != record.resource.id) return;
    row->value.root.container = container;
    txn.Put(record.key(), row->value);
  });
}

void ImageController::NoteReady(const ImageRecord& record, const MadeImage& made) {
  catalog_.Write("image ready", [&](Txn& txn) {
    auto row = txn.Find<ImageRecord>(record.key());
    bool same = row && row->value.resource.id == record.resource.id;
    if (!same) return;  // deleted meanwhile; the sweep takes the layer
    row->value.resource.status = "READY";
    row->value.resource.archiveSizeBytes = made.bytes;
    row->value.root = made.root;
    row->value.backoff = {};
    txn.Put(record.key(), row->value);
    Settle(txn, kind(), record.key(), 1, std::nullopt, clock_.Now());
  });
}

void ImageController::NoteFailure(const ImageRecord& record, const Error& error) {
  log_.Warning("image not made", {{"image", record.key()}, {"error", error.message}});
  Time now = clock_.Now();
  catalog_.Write("image failed", [&](Txn& txn) {
    auto row = txn.Find<ImageRecord>(record.key());
    if (!row || row->value.resource.id != record.resource.id) return;
    ImageRecord& stored = row->value;
    if (MayHelpToTryAgain(error.code) && stored.backoff.attempts + 1 < kMostTries) {
      stored.backoff = AfterFailure(stored.backoff, kImageBackoff, record.key(), now);
      txn.Put(record.key(), stored);
      return;
    }
    txn.Erase<ImageRecord>(record.key());
    Settle(txn, kind(), record.key(), kGone, error, now);
  });
}

}  // namespace fireweed::compute
