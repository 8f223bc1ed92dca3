// A BlobStore of one file per blob below one directory of a Disk. The layout and the steps of a commit
// are in docs/formats/blob-store.md.
#pragma once

#include <atomic>
#include <functional>
#include <initializer_list>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "base/disk.h"
#include "base/guarded.h"
#include "base/ids.h"
#include "blob/blob_store.h"
#include "blob/directory_syncer.h"
#include "blob/held_ids.h"

namespace fireweed {

struct FileBlobOptions {
  // Below this much free space new bytes are refused with kExhausted, so that the catalog on the same
  // disk can still write.
  int64_t reserve_bytes = int64_t{256} << 20;
  // Called with the free bytes each time new bytes are refused for want of room, on the refused caller's thread.
  std::function<void(int64_t free)> on_full = {};
};

// One store per directory at a time (the state directory's lock sees to it). Readers may outlive it,
// writers may not.
class FileBlobStore final : public BlobStore {
 public:
  // Makes the directories where they are missing and clears what a crash left half renamed. `disk` and
  // `ids` outlive the store.
  static Result<std::unique_ptr<FileBlobStore>> Open(Disk& disk, std::string root, IdSource& ids,
                                                     FileBlobOptions options = {});

  Result<std::unique_ptr<BlobWriter>> Create() override;
  Result<std::unique_ptr<BlobWriter>> Resume(const BlobId& draft) override;
  Result<std::shared_ptr<BlobReader>> Open(const BlobId& id) const override;
  Result<> Drop(const BlobId& id) override;
  std::shared_ptr<const void> PauseDrops() override;
  Result<> DropDraft(const BlobId& draft) override;
  Result<> List(const std::function<void(const BlobListing&)>& each) const override;
  Result<> CheckRoom() const override;
  // How often new bytes were refused for want of room.
  int64_t refused() const { return refused_.load(std::memory_order_relaxed); }

 private:
  class Writer;
  FileBlobStore(Disk& disk, std::string root, IdSource& ids, FileBlobOptions options);

  Result<> Prepare();
  Result<> DropNow(const BlobId& id);
  void EndPause();
  Result<> ClearLeftovers();
  Result<> RemoveAll(std::initializer_list<std::string> paths);  // missing ones are fine
  Result<> ListDirectory(const std::string& directory, bool drafts,
                         const std::function<void(const BlobListing&)>& each) const;
  // Makes the shard of a blob where it is missing; its own name is durable when this returns.
  Result<> PrepareShard(const BlobId& id);
  std::string DraftPath(const BlobId& id) const { return drafts_ + "/" + id; }
  std::string MarkPath(const BlobId& id) const;
  std::string ShardPath(const BlobId& id) const;
  std::string BlobPath(const BlobId& id) const { return ShardPath(id) + "/" + id; }

  // Constant after construction.
  Disk& disk_;
  IdSource& ids_;
  const std::string root_;
  const std::string drafts_;
  const std::string blobs_;
  const FileBlobOptions options_;
  // Locked inside.
  DirectorySyncer syncer_;
  HeldIds held_;
  Guarded<std::set<std::string>> durable_shards_;  // paths
  struct PutOff {
    int pauses = 0;
    std::vector<BlobId> blobs;
  };
  Guarded<PutOff> put_off_;
  // How often CheckRoom may say yes without another look at the disk.
  mutable std::atomic<int64_t> looks_saved_{0};
  mutable std::atomic<int64_t> refused_{0};
};

}  // namespace fireweed
