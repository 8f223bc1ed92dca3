// What for: makes images that are PENDING: copies what was written on a disk into a layer, or unpacks an archive. An
//   image is READY when its bytes are durable, and one that cannot be made is forgotten, with the reason in its
//   operation.
// Who calls: the control loop; the making runs as an action, one per image at a time.
// A failure: kExhausted, kUnavailable and kInternal are tried again a few times; others are final.
#pragma once

#include <functional>
#include <string>

#include "base/clock.h"
#include "base/log.h"
#include "catalog/catalog.h"
#include "compute/records.h"
#include "control/action_pool.h"
#include "control/controller.h"
#include "machine/image/disk_store.h"

namespace fireweed::compute {

// Unpacks the root tree of an archive in a bucket ("gs://B/O") into an empty directory, and tells how it wants to be run.
// Called on an action thread; may block for minutes.
using ImportRoot =
    std::function<Result<ContainerConfig>(const std::string& source, const std::string& directory)>;

class ImageController final : public Controller {
 public:
  ImageController(Catalog& catalog, ActionPool& pool, DiskStore& store, ImportRoot import,
                  const Clock& clock, Logger& log)
      : catalog_(catalog),
        pool_(pool),
        store_(store),
        import_(std::move(import)),
        clock_(clock),
        log_(log) {}

  std::string_view kind() const override { return kRecordKind<ImageRecord>; }
  std::optional<Time> Reconcile(const Key& key) override;

 private:
  struct MadeImage {
    RootLayers root;
    int64_t bytes = 0;
  };
  void Make(const Key& key);
  Result<MadeImage> FromDisk(const ImageRecord& record);
  Result<MadeImage> FromArchive(const ImageRecord& record);
  void NoteContainer(const ImageRecord& record, const ContainerConfig& container);
  void NoteReady(const ImageRecord& record, const MadeImage& made);
  void NoteFailure(const ImageRecord& record, const Error& error);

  // Constant after construction.
  Catalog& catalog_;
  ActionPool& pool_;
  DiskStore& store_;
  const ImportRoot import_;
  const Clock& clock_;
  Logger& log_;
};

}  // namespace fireweed::compute
