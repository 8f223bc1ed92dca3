// Objects by name on a catalog and a blob store of one disk: what a workload drives and an inspection looks at.
// PlainDepot keeps the order of the storage service in a page of code; StorageDepot is the service itself.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
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

using UploadKey = std::string;

struct FoundObject {
  std::string name;
  std::string content;
  std::optional<std::string> problem;  // why it is not as its row says
};

struct FoundUpload {
  bool open = false;  // else it ended, or nobody knows of it
  int64_t durable = 0;
  std::optional<std::string> md5;  // of the durable bytes, where that can be seen
};

// Any thread. Every call throws Failure, and then may have happened or not.
class Depot {
 public:
  // Opens what is on the disk, or makes it. `life` tells restarts apart: ids of two lives differ.
  Depot(Disk& disk, uint64_t life);
  virtual ~Depot() = default;

  virtual void Put(const std::string& name, std::string_view content) = 0;
  virtual void Remove(const std::string& name) = 0;
  virtual UploadKey Begin(const std::string& name) = 0;  // an upload in pieces
  // Returns how much is durable.
  virtual int64_t Send(const UploadKey& key, int64_t at, std::string_view piece) = 0;
  virtual void Finish(const UploadKey& key, int64_t total) = 0;
  virtual SweepReport Sweep() = 0;

  // Other ways to an object, where the depot has them: in numbered parts, from other objects.
  virtual bool HasOtherWays() const { return false; }
  virtual void PutInParts(const std::string& name, std::string_view content) { Put(name, content); }
  virtual void Copy(const std::string& /*from*/, const std::string& /*to*/) {}
  virtual void Move(const std::string& /*from*/, const std::string& /*to*/) {}
  virtual void Compose(const std::vector<std::string>& /*from*/, const std::string& /*to*/) {}

  virtual std::vector<FoundObject> Objects() = 0;
  // Ends an upload of which only the row was missing.
  virtual FoundUpload Look(const UploadKey& key) = 0;
  // By the rows of objects and open uploads themselves, not by any count of references.
  virtual std::set<BlobId> ReferredTo() = 0;

  // Three rows that always show the same number, far apart in the tree.
  void Count(int64_t count);
  std::vector<int64_t> Counts();
  BlobStore& blobs() { return *blobs_; }

  static constexpr const char* kCatalogPath = "state/catalog.db";
  static constexpr const char* kBlobsPath = "state/objects";

 protected:
  std::string Read(const BlobId& id);

  SimClock clock_;
  SeededRandom random_;
  IdSource ids_;
  NullLogger logger_;
  SqliteDiskVfs vfs_;
  SqliteCatalog catalog_;
  std::unique_ptr<FileBlobStore> blobs_;
};

using DepotMaker = std::function<std::unique_ptr<Depot>(Disk& disk, uint64_t life)>;

std::unique_ptr<Depot> MakePlainDepot(Disk& disk, uint64_t life);
std::unique_ptr<Depot> MakeStorageDepot(Disk& disk, uint64_t life);

}  // namespace fireweed::crash
