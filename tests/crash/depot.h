// Objects by name on a catalog and a blob store of one disk, written in the order that the storage service
// keeps: bytes durable, then the row, then the writer let go, then the old blob dropped.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/disk.h"
#include "base/ids.h"
#include "base/log.h"
#include "base/sim_clock.h"
#include "blob/file_blob_store.h"
#include "blob/sweep.h"
#include "catalog/sqlite_catalog.h"
#include "catalog/sqlite_disk_vfs.h"

namespace fireweed::crash {

struct ObjectRow {
  BlobId blob;
  int64_t size = 0;
  uint32_t crc32c = 0;
  std::string md5;  // raw
};

// Any thread. Every call throws Failure, and then may have happened or not.
class Depot {
 public:
  // Opens what is on the disk, or makes it. `life` tells restarts apart: ids of two lives differ.
  Depot(Disk& disk, uint64_t life);

  void Put(const std::string& name, std::string_view content);
  void Remove(const std::string& name);

  // Resumable uploads, by draft.
  BlobId Begin();
  int64_t Send(const BlobId& draft, std::string_view piece);  // how much is durable
  void Finish(const BlobId& draft, const std::string& name);

  // Three rows that always show the same number, far apart in the tree.
  void Count(int64_t count);

  SweepReport Sweep();

  // For inspection.
  std::vector<std::pair<std::string, ObjectRow>> Objects();
  std::vector<BlobId> Uploads();
  std::vector<int64_t> Counts();
  bool IsReferenced(const BlobId& id);
  std::string Read(const BlobId& id);
  BlobStore& blobs() { return *blobs_; }

  static constexpr const char* kCatalogPath = "state/catalog.db";

 private:
  // Commits the row of an object, and drops the blob that it replaces. `draft`: the upload it ends, if any.
  void Name(const std::string& name, const BlobInfo& info, std::unique_ptr<BlobWriter> holding,
            const std::optional<BlobId>& draft);

  SimClock clock_;
  SeededRandom random_;
  IdSource ids_;
  NullLogger logger_;
  SqliteDiskVfs vfs_;
  SqliteCatalog catalog_;
  std::unique_ptr<FileBlobStore> blobs_;
};

}  // namespace fireweed::crash
